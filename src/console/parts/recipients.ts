import { contactNames, nameOfContact } from '../../contacts/names.ts';
import { groupNames } from '../../groups/names.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';

interface Recipient {
  readonly contact_id: string | null;
  readonly group_id: string | null;
  /** That it was sent to, if that is kept; otherwise the contact's own. */
  readonly phone?: string;
}

/**
 * Whom these recipients are, in two statements for all of them; contacts lead to their page.
 *
 * @param gone for a contact that was deleted
 */
export async function recipientNames(
  { ctx, base }: Page,
  recipients: readonly Recipient[],
  gone: string,
): Promise<(one: Recipient) => Html | string> {
  const contacts = await contactNames(
    ctx,
    recipients.flatMap(({ contact_id: id }) => id ?? []),
  );
  const groups = await groupNames(
    ctx,
    recipients.flatMap(({ group_id: id }) => id ?? []),
  );
  return ({ contact_id: contactId, group_id: groupId, phone }) => {
    if (groupId) return groups.get(groupId) || groupId;
    const contact = contactId ? contacts.get(contactId) : undefined;
    if (!contact) return gone;
    const name = nameOfContact({ ...contact, phone: phone ?? contact.phone });
    return html`<a href="${base}/contacts/${contactId}">${name}</a>`;
  };
}
