import { recordTakeover } from '../../automated/takeovers.ts';
import { findOrCreateByPhone } from '../../contacts/identity/identities.ts';
import { messageSent } from '../../conversations/receiving/announcing.ts';
import { keepEcho } from '../../conversations/receiving/echoing.ts';
import { isKnown } from '../../conversations/receiving/reported.ts';
import { transact } from '../../db/transact.ts';
import type { MessageEcho } from '../../gateway/cloud-api/wire.ts';
import { recordFact } from '../../outbox/record.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { phoneOf } from '../sender.ts';
import { type Arrival, contentOf } from './arrivals.ts';

/** A message that someone in the business typed on the phone or in the companion app, in our terms. */
export interface Echo
  extends Pick<Arrival, 'providerId' | 'at' | 'type' | 'text' | 'media' | 'replyTo'> {
  /** The recipient, E.164. */
  readonly phone: string;
}

/** Revoking and editing refer to another message; they are no messages themselves. */
const NO_MESSAGES = ['system', 'revoke', 'edit'];

/** Null if it is no message, or its recipient has no phone. Taking a reaction back says nothing to anybody. */
export function echoOf(item: MessageEcho, now: Date): Echo | null {
  const phone = phoneOf(item.to);
  if (NO_MESSAGES.includes(item.type) || item.group_id || phone === null) return null;
  const content = contentOf(item);
  if (content.type === 'reaction' && content.text === '') return null;
  return {
    ...content,
    providerId: item.id,
    phone,
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
    const contact = await findOrCreateByPhone(tx, { ...echo, name: '', ...BY_HAND });
    const { messageId, conversationId, isLatest, media, replyToId } = await keepEcho(tx, {
      ...echo,
      numberId,
      contactId: contact.id,
    });
    if (isLatest) await recordTakeover(tx, conversationId);
    const { id: contactId, name, phone } = contact;
    const { text, type } = echo;
    const told = { id: messageId, text, type, media, replyToId };
    const sent = { ...told, name, phone, contactId, conversationId, numberId };
    await recordFact(tx, messageSent(organizationId, { ...sent, source: 'phone' }, echo.at));
    return true;
  });
}
