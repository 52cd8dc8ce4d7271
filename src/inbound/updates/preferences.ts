import { asPerson } from '../../contacts/identity/strangers.ts';
import { listOptOut, takeBackSwitch } from '../../contacts/opt-outs/list.ts';
import { optIn, optOut } from '../../contacts/opt-outs/opting-out.ts';
import { optOutRefused } from '../../contacts/opt-outs/refused.ts';
import type { AppliedStatuses, StatusChange } from '../../conversations/receiving/statuses.ts';
import { transact } from '../../db/transact.ts';
import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../../gateway/cloud-api/classify.ts';
import type { UserPreference } from '../../gateway/cloud-api/wire.ts';
import { leaveRefused } from '../../reminders/lost-groups.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { type Sender, senderOf } from '../sender.ts';

/** A person's choice in WhatsApp itself: no more marketing messages from this business, or again. */
export interface Preference extends Sender {
  readonly choice: 'out' | 'in';
  readonly at: Date;
}

/** Null for a preference about anything other than marketing messages. */
export function preferenceOf(item: UserPreference, now: Date): Preference | null {
  const { wa_id: waId, user_id: userId, category, value, timestamp } = item;
  if (category !== 'marketing_messages' || (value !== 'stop' && value !== 'resume')) return null;
  const sender = senderOf(waId, userId);
  if (!sender) return null;
  const at = timestamp === undefined ? now : momentOf(String(timestamp), now);
  return { ...sender, choice: value === 'stop' ? 'out' : 'in', at };
}

/**
 * Acts on WhatsApp's own switch (design decisions §21). Resuming there undoes only what was stopped there, never an
 * opt-out expressed to the business, and nothing that was stopped later: webhooks may come in another order. A person
 * who is not a contact is only added to the list.
 */
export const applyPreference = (
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  preference: Preference,
): Promise<void> =>
  asPerson(asWhatsApp(parts, organizationId), preference, async (tx, contacts) => {
    const { choice, at } = preference;
    const stopped = { source: 'whatsapp', messageId: null, at } as const;
    for (const id of contacts) {
      if (choice === 'in') await optIn(tx, id, { source: 'whatsapp', at });
      else await optOut(tx, id, stopped);
    }
    if (contacts.length > 0) return;
    if (choice === 'in') await takeBackSwitch(tx, preference, at);
    else await listOptOut(tx, preference, stopped);
  });

/**
 * Opts out, as of then, the people for whom WhatsApp refused messages because they opted out there.
 *
 * @param repeated known before, but perhaps not acted on. WhatsApp repeats its webhooks for days, so a contact that was
 *   changed since, perhaps opted in, stays as it is: the next message is refused again
 */
export async function optOutByRefusals(
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  { changed, repeated }: Pick<AppliedStatuses, 'changed' | 'repeated'>,
): Promise<void> {
  const refused = [
    ...refusedBy(OPTED_OUT_CODE, repeated).map((each) => ({ ...each, isNew: false })),
    ...refusedBy(OPTED_OUT_CODE, changed).map((each) => ({ ...each, isNew: true })),
  ];
  if (refused.length === 0) return;
  await transact(asWhatsApp(parts, organizationId), async (tx) => {
    const params = [
      organizationId,
      refused.map(({ messageId }) => messageId),
      refused.map(({ at }) => at),
      refused.map(({ isNew }) => isNew),
    ];
    await optOutRefused(tx, await tx.sql.rows(UNWANTED, params));
  });
}

const UNWANTED = `
select m.contact_id as "contactId", m.id as "messageId", r.at
from unnest($2::text[], $3::timestamptz[], $4::boolean[]) r (id, at, is_new)
join messages m on m.organization_id = $1 and m.id = r.id
join contacts c on c.organization_id = $1 and c.id = m.contact_id
where r.is_new or date_trunc('second', c.updated_at) <= r.at`;

/** Marks groups as left to which WhatsApp refused messages because it does not know them. */
export async function leaveUnknownGroups(
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  changes: readonly StatusChange[],
): Promise<void> {
  const refused = refusedBy(GROUP_UNKNOWN_CODE, changes).map(({ messageId }) => messageId);
  if (refused.length > 0) await leaveRefused(asWhatsApp(parts, organizationId), refused);
}

const refusedBy = (wanted: number, changes: readonly StatusChange[]): StatusChange[] =>
  changes.filter(({ code }) => code === wanted);
