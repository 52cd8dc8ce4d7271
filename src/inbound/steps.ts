import { system } from '../access/actor.ts';
import { auditAll } from '../audit/service.ts';
import { noteReply } from '../campaigns/following.ts';
import type { KnownContact } from '../contacts/identities.ts';
import type { Effect } from '../contacts/phrases.ts';
import { noteSighting, recogniseSender } from '../contacts/senders.ts';
import type { Context } from '../context.ts';
import { type KeptMessage, keepGroupMessage, keepMessage } from '../conversations/receiving.ts';
import { isKnown } from '../conversations/told.ts';
import type { Clock } from '../db/clock.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { transact } from '../db/transact.ts';
import { findOrCreateGroup } from '../groups/service.ts';
import { assignWaiting } from '../members/assigning.ts';
import { recordEvent } from '../outbox/record.ts';
import { recordUnheard, recordWritten } from '../outbox/triggers.ts';
import { placeNewcomer } from '../pipelines/service.ts';
import type { Arrival } from './arrivals.ts';
import type { NumberOwner } from './queries.ts';
import { heedWish } from './wishes.ts';

/** A message that has just been kept, and whose it is. */
interface Received extends KeptMessage {
  readonly numberId: string;
  readonly contact: KnownContact;
  readonly arrival: Arrival;
  /** Set for a message that asks for no more messages, or for messages again: it starts nothing else. */
  readonly wish: Effect | null;
}

type Step = (tx: Context, received: Received) => Promise<void>;

const announce: Step = (tx, received) => {
  const { messageId, conversationId, numberId, contact, arrival, media } = received;
  // Whom we knew by WhatsApp's id alone may show the phone by now.
  const phone = contact.phone || (arrival.phone ?? '');
  return recordEvent(tx, 'message.received', {
    message: { id: messageId, text: arrival.text, ...(media && { media }) },
    contact: {
      name: contact.name,
      phone,
      ...(phone === '' && arrival.waUserId ? { wa_user_id: arrival.waUserId } : {}),
    },
    number: { id: numberId },
    contact_id: contact.id,
    conversation_id: conversationId,
    number_id: numberId,
  });
};

/** Counted as the answer to a campaign, and told to automations unless it is a wish for no more messages. */
const follow: Step = async (tx, { messageId, conversationId, opened, contact, arrival, wish }) => {
  const campaignId = await noteReply(tx.sql, tx.organizationId, contact.id, arrival.at);
  if (wish !== null) await recordUnheard(tx, { messageId, conversationId });
  else
    await recordWritten(tx, {
      ...{ messageId, conversationId, contactId: contact.id },
      ...{ opened, campaignId },
    });
};

/** What a message from a person sets in motion, in this order and in the transaction that keeps it. */
const STEPS: readonly Step[] = [follow, announce];

/**
 * Takes one message in: its contact, its conversation, itself, and the steps, in one transaction.
 * @returns false for a message that was taken before.
 */
export function takeMessage(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: NumberOwner,
  arrival: Arrival,
): Promise<boolean> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  return transact(ctx, async (tx) => {
    if (await isKnown(tx, numberId, arrival.providerId)) return false;
    if (arrival.groupId !== null) {
      await takeGroupMessage(tx, numberId, arrival.groupId, arrival);
      return true;
    }
    const { contact, entries } = await recogniseSender(tx, arrival);
    const message = { ...arrival, numberId, contactId: contact.id };
    const kept = await keepMessage(tx, message);
    const listed = await noteSighting(tx, contact.id, arrival);
    const person = { ...contact, optedOut: contact.optedOut || listed };
    // Before anyone else sees the message: whoever acts on it must know whether the person wants an answer.
    const { wish, optedOut, entries: heeded } = await heedWish(tx, kept, person, arrival);
    const received = { ...kept, numberId, contact: { ...contact, optedOut }, arrival, wish };
    for (const step of STEPS) await step(tx, received);
    // Only a contact that this message made has something to tell the log.
    const placing = { numberId, contactId: contact.id, conversationId: received.conversationId };
    const placed = entries.length > 0 ? await placeNewcomer(tx, placing) : [];
    const assigned = kept.teamId === null ? [] : await assignWaiting(tx, kept.teamId);
    await auditAll(tx, [...entries, ...heeded, ...placed, ...assigned]);
    return true;
  });
}

/** Talk in a group is kept and raises no event: only one-to-one chats do (design decisions §23). */
async function takeGroupMessage(
  tx: Context,
  numberId: string,
  groupId: string,
  arrival: Arrival,
): Promise<void> {
  const wanted = { numberId, providerId: groupId, name: '' };
  const { conversationId } = await findOrCreateGroup(tx, wanted);
  const writer = arrival.name || arrival.phone || '';
  await keepGroupMessage(tx, { ...arrival, numberId, conversationId, writer });
}
