import { findPerson, lockPersonWith } from '../../contacts/identity/senders.ts';
import { rememberStranger } from '../../contacts/opt-outs/list.ts';
import { optIn, optOut } from '../../contacts/opt-outs/opting-out.ts';
import { optOutRefused } from '../../contacts/opt-outs/refused.ts';
import type { Context } from '../../context.ts';
import type { StatusChange } from '../../conversations/receiving/statuses.ts';
import { advisoryLock } from '../../db/advisory-locks.ts';
import { transact, transactAgain } from '../../db/transact.ts';
import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../../gateway/cloud-api/classify.ts';
import type { UserPreference } from '../../gateway/cloud-api/wire.ts';
import { leaveRefused } from '../../reminders/lost-groups.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { type Sender, senderOf } from '../sender.ts';

/** A person's choice in WhatsApp itself: no more marketing messages from this business, or again. */
export interface Preference extends Sender {
  readonly wish: 'out' | 'in';
  readonly at: Date;
}

/** Null for a preference about anything other than marketing messages. */
export function preferenceOf(item: UserPreference, now: Date): Preference | null {
  const { wa_id: waId, user_id: userId, category, value, timestamp } = item;
  if (category !== 'marketing_messages' || (value !== 'stop' && value !== 'resume')) return null;
  const sender = senderOf(waId, userId);
  if (!sender) return null;
  const at = timestamp === undefined ? now : momentOf(String(timestamp), now);
  return { ...sender, wish: value === 'stop' ? 'out' : 'in', at };
}

/**
 * Acts on WhatsApp's own switch (design decisions §21). Resuming there undoes only what was stopped there, never an
 * opt-out expressed to the business, and nothing that was stopped later: webhooks may come in another order. A person
 * who is not a contact is only added to the list.
 */
export async function applyPreference(
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  preference: Preference,
): Promise<void> {
  const ctx = asWhatsApp(parts, organizationId);
  let applied: boolean;
  do applied = (await wishOfContacts(ctx, preference)) || (await wishOfStranger(ctx, preference));
  while (!applied);
}

const wishOfContacts = (ctx: Context, preference: Preference): Promise<boolean> =>
  transactAgain(ctx, async (tx) => {
    const { wish, at } = preference;
    const person = await lockPersonWith(tx, preference);
    for (const id of person) {
      if (wish === 'in') await optIn(tx, id, { source: 'whatsapp', at });
      else await optOut(tx, id, { source: 'whatsapp', messageId: null, at });
    }
    return person.length > 0;
  });

/**
 * False if the person is a contact by now, made so by a transaction that the turn was waited for. Then the turn is given
 * back: others wait for it with that contact locked.
 */
const wishOfStranger = (ctx: Context, preference: Preference): Promise<boolean> =>
  transactAgain(ctx, async (tx) => {
    await advisoryLock(tx.sql, 'strangers', tx.organizationId);
    if (await findPerson(tx, preference)) return false;
    await rememberStranger(tx, preference, preference.wish, preference.at);
    return true;
  });

/** Opts out, as of then, the people for whom WhatsApp refused messages because they opted out there. */
export async function optOutByRefusals(
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  changes: readonly StatusChange[],
): Promise<void> {
  const refusedAt = new Map(
    refusedBy(OPTED_OUT_CODE, changes).map((each) => [each.messageId, each.at]),
  );
  if (refusedAt.size === 0) return;
  await transact(asWhatsApp(parts, organizationId), async (tx) => {
    const sent = await tx.sql.rows<{ contactId: string; messageId: string }>(
      `select contact_id as "contactId", id as "messageId" from messages
       where organization_id = $1 and id = any($2) and contact_id is not null`,
      [organizationId, [...refusedAt.keys()]],
    );
    const refused = sent.map((each) => ({ ...each, at: refusedAt.get(each.messageId) }));
    await optOutRefused(tx, refused);
  });
}

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
