import type { Context, ReadContext, Seeing } from '../context.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { requireOwner } from '../members/owners.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { updateContact } from './changing.ts';
import { countContacts } from './counting.ts';
import { draftOf, provenanceOf, todayFor } from './drafts.ts';
import { contactNotFound } from './missing.ts';
import { lockPerson } from './person.ts';
import { presentContact } from './present.ts';
import { selectContact, selectContacts } from './queries.ts';
import { distinctTags, MAX_TAGS, tagKey } from './rules.ts';
import {
  type ContactFilters,
  type ContactPatch,
  type ContactView,
  contactPatchBody,
  type NewContact,
} from './schema.ts';
import { addContacts, duplicatePhone } from './writing.ts';

export { updateContact };

/** The body of a change from outside the API; throws 422 `validation` with every problem. */
export const contactPatchOf = (body: unknown): ContactPatch => guard(contactPatchBody, body);

export interface TagChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * Adds and removes tags, ignoring case. Adding one that is there, or removing one that is not, changes nothing.
 * Throws 422 beyond 50 tags.
 */
export const changeTags = (ctx: Context, id: string, change: TagChange): Promise<{ id: string }> =>
  transact(ctx, async (tx) => {
    const { tags } = await lockPerson(tx, id);
    const gone = new Set(change.remove?.map(tagKey));
    const kept = tags.filter((tag) => !gone.has(tagKey(tag)));
    const after = distinctTags([...kept, ...(change.add ?? [])]);
    const message = `A contact has at most ${MAX_TAGS} tags.`;
    if (after.length > MAX_TAGS)
      throw validation([{ path: 'tags', rule: 'max_items', limit: MAX_TAGS, message }]);
    return updateContact(tx, id, { tags: after });
  });

/** Throws 409 `duplicate`, 409 `quota`, 422 `unknown_member`, and 422 `validation` for an impossible birthday. */
export const createContact = (ctx: Context, input: NewContact): Promise<ContactView> =>
  transact(ctx, async (tx) => {
    const draft = draftOf(input, await todayFor(tx, input));
    // The workspace before a member, as whoever removes one has the two.
    await checkQuota(tx, 'contacts', () => countContacts(tx));
    await requireOwner(tx, draft.owner_id);
    const [added] = await addContacts(tx, [draft], provenanceOf(tx.actor));
    if (!added) throw await duplicatePhone(tx, draft.phone);
    return getContact(tx, added.id);
  });

/** A contact as the API shows it. Throws 404. */
export async function getContact(ctx: Seeing, id: string): Promise<ContactView> {
  const row = await selectContact(ctx, id);
  if (!row) throw await contactNotFound(ctx, id);
  return presentContact(row);
}

/** Newest first. */
export async function listContacts(
  ctx: ReadContext,
  filters: ContactFilters,
  page: PageRequest,
): Promise<PageOf<ContactView>> {
  const rows = await selectContacts(ctx, filters, page);
  return pageOf(rows, page, presentContact);
}
