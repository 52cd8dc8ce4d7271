import { noteReply } from '../../campaigns/batches/following.ts';
import type { KnownContact } from '../../contacts/identity/identities.ts';
import { noteSighting, recogniseSender } from '../../contacts/identity/senders.ts';
import type { Effect } from '../../contacts/opt-outs/phrases.ts';
import type { Unannounced } from '../../contacts/writing.ts';
import type { Context } from '../../context.ts';
import { noteActivity } from '../../conversations/activities.ts';
import { eventMessage } from '../../conversations/receiving/announcing.ts';
import {
  isAside,
  type KeptMessage,
  keepAside,
  keepGroupMessage,
  keepMessage,
} from '../../conversations/receiving/receiving.ts';
import { ReportedBefore } from '../../conversations/receiving/reported.ts';
import { tellAutomations } from '../../conversations/telling.ts';
import { transact } from '../../db/transact.ts';
import { findOrCreateGroup } from '../../groups/service.ts';
import { assignWaiting } from '../../members/assigning.ts';
import { recordHappenings, recordUnheard, recordWritten } from '../../outbox/happenings.ts';
import { eventFact, recordFacts } from '../../outbox/record.ts';
import { placeNewcomer } from '../../pipelines/service.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import type { NumberOwner } from '../queries.ts';
import type { Arrival } from './arrivals.ts';
import { applyOptOutWords } from './opt-out-words.ts';

/** A message that has just been stored, and its contact. */
interface Received extends KeptMessage {
  readonly numberId: string;
  readonly contact: KnownContact;
  /** What must be announced about a new contact, before the message. */
  readonly unannounced: Unannounced | null;
  readonly arrival: Arrival;
  /** Set for a message that opts out or in: it starts nothing else. */
  readonly effect: Effect | null;
}

/** A new contact is announced before the message, both in one statement. */
const announce = (tx: Context, received: Received): Promise<void> => {
  const { messageId, conversationId, numberId, contact, arrival, media, replyToId } = received;
  const { text, type } = arrival;
  // A person known only by WhatsApp's id may reveal the phone later.
  const phone = contact.phone || (arrival.phone ?? '');
  const data = {
    message: eventMessage({ id: messageId, text, type, replyToId, media }),
    contact: {
      name: contact.name,
      phone,
      ...(phone === '' && arrival.waUserId ? { wa_user_id: arrival.waUserId } : {}),
    },
    number: { id: numberId },
    contact_id: contact.id,
    conversation_id: conversationId,
    number_id: numberId,
  };
  const fact = eventFact(tx.organizationId, 'message.received', data, tx.now);
  return recordFacts(tx, [...(received.unannounced?.facts ?? []), fact]);
};

/** Counts the message as a reply to a campaign, and tells automations about it unless it opts out or in. */
async function follow(tx: Context, received: Received): Promise<void> {
  const { messageId, conversationId, opened, wroteBefore, numberId, contact, arrival } = received;
  const { effect, unannounced } = received;
  const happened = unannounced?.happened ?? [];
  const aside = isAside(arrival);
  // No campaign can have reached a new contact.
  const campaignId =
    unannounced === null && !aside
      ? await noteReply(tx.sql, tx.organizationId, {
          contactId: contact.id,
          numberId,
          at: arrival.at,
        })
      : null;
  const place = { messageId, conversationId, contactId: contact.id };
  const written = { ...place, opened, wroteBefore, campaignId };
  if (effect === null && !aside) return recordWritten(tx, written, happened);
  await recordHappenings(tx, happened);
  // No run hears what is aside, and what was written before it is still to be heard.
  if (effect !== null) await recordUnheard(tx, { messageId, conversationId });
  else if (opened)
    await tellAutomations(
      tx,
      { id: conversationId, contactId: contact.id, numberId },
      'conversation_opened',
    );
}

/**
 * Stores a message in one transaction, with its contact, its conversation and everything that follows from it.
 *
 * @returns false for a message stored before
 */
export function takeMessage(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  arrival: Arrival,
): Promise<boolean> {
  const ctx = asWhatsApp(parts, organizationId);
  const taken = transact(ctx, async (tx) => {
    if (arrival.groupId !== null) await takeGroupMessage(tx, numberId, arrival.groupId, arrival);
    else await takeFromPerson(tx, numberId, arrival);
    return true;
  });
  return taken.catch((error: unknown) => {
    if (error instanceof ReportedBefore) return false;
    throw error;
  });
}

async function takeFromPerson(tx: Context, numberId: string, arrival: Arrival): Promise<void> {
  const met = await recogniseSender(tx, arrival);
  const { contact, unannounced } = met;
  const wroteFrom = arrival.phone ?? arrival.waUserId;
  const message = { ...arrival, numberId, contactId: contact.id, wroteFrom };
  const aside = isAside(arrival) ? await keepAside(tx, message) : null;
  const kept = aside ?? (await keepMessage(tx, message));
  if (arrival.lead !== '')
    await noteActivity(tx, kept.conversationId, 'referred', { note: arrival.lead });
  await noteSighting(tx, met, { ...arrival, at: aside ? null : arrival.at });
  // Before anyone else sees the message, because whoever acts on it must know whether the person wants an answer.
  const effect = await applyOptOutWords(tx, kept, contact.id, arrival);
  const heard = { ...kept, numberId, contact, unannounced, arrival, effect };
  await follow(tx, heard);
  await announce(tx, heard);
  const { stageId, conversationId } = kept;
  if (unannounced !== null)
    await placeNewcomer(tx, { stageId, contactId: contact.id, conversationId });
  if (kept.teamId !== null) await assignWaiting(tx, kept.teamId);
}

/** A group's messages are stored but raise no event; only one-to-one chats do (design decisions §23). */
async function takeGroupMessage(
  tx: Context,
  numberId: string,
  groupId: string,
  arrival: Arrival,
): Promise<void> {
  const wanted = { numberId, providerId: groupId, name: '' };
  const { conversationId } = await findOrCreateGroup(tx, wanted, arrival.at);
  const writer = arrival.name || arrival.phone || '';
  const message = { ...arrival, numberId, conversationId, writer };
  await keepGroupMessage(tx, message);
}
