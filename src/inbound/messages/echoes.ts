import { recordTakeover } from '../../automated/takeovers.ts';
import { noteSighting, recogniseSender } from '../../contacts/identity/senders.ts';
import { announce } from '../../contacts/writing.ts';
import { messageSent } from '../../conversations/receiving/announcing.ts';
import { keepEcho } from '../../conversations/receiving/echoing.ts';
import { isKnown } from '../../conversations/receiving/reported.ts';
import { transact } from '../../db/transact.ts';
import type { MessageEcho } from '../../gateway/cloud-api/wire.ts';
import { recordFact } from '../../outbox/record.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { type Sender, senderOf } from '../sender.ts';
import { type Arrival, contentOf } from './arrivals.ts';

/** A message that someone in the business typed on the phone or in the companion app to a person, in our terms. */
export interface Echo
  extends Sender,
    Pick<Arrival, 'providerId' | 'at' | 'type' | 'text' | 'media' | 'replyTo'> {}

/** Revoking and editing refer to another message; they are no messages themselves. */
const NO_MESSAGES = ['system', 'revoke', 'edit'];

/** Null if it is no message, or nobody is named whom it is to. Taking a reaction back says nothing to anybody. */
export function echoOf(item: MessageEcho, now: Date): Echo | null {
  const recipient = senderOf(item.to, item.to_user_id);
  if (NO_MESSAGES.includes(item.type) || item.group_id || !recipient) return null;
  const content = contentOf(item);
  if (content.type === 'reaction' && content.text === '') return null;
  return {
    ...content,
    ...recipient,
    providerId: item.id,
    at: momentOf(item.timestamp, now),
    replyTo: item.reaction?.message_id ?? item.context?.id ?? null,
  };
}

const BY_HAND = { origin: 'team', createdVia: 'member' } as const;

/**
 * Stores such a message in one transaction: it appears in the conversation as ours, with the source `phone`, and the
 * person who typed it has taken over the conversation (design decisions §1, §9), unless the contact has written since.
 *
 * @returns false for a message stored before
 */
export function takeEcho(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  echo: Echo,
): Promise<boolean> {
  const ctx = asWhatsApp(parts, organizationId);
  return transact(ctx, async (tx) => {
    if (await isKnown(tx, numberId, echo.providerId)) return false;
    const met = await recogniseSender(tx, { ...echo, name: '' }, BY_HAND);
    const { contact, unannounced } = met;
    if (unannounced) await announce(tx, unannounced);
    const { messageId, conversationId, isLatest, media, replyToId } = await keepEcho(tx, {
      ...echo,
      numberId,
      contactId: contact.id,
    });
    if (echo.waUserId !== null) await noteSighting(tx, met, { ...echo, at: null });
    if (isLatest) await recordTakeover(tx, conversationId);
    const { id: contactId, name } = contact;
    const phone = contact.phone || echo.phone;
    const { text, type } = echo;
    const told = { id: messageId, text, type, media, replyToId };
    const sent = { ...told, name, phone, contactId, conversationId, numberId };
    await recordFact(tx, messageSent(organizationId, { ...sent, source: 'phone' }, echo.at));
    return true;
  });
}
