import { system } from '../../access/actor.ts';
import { auditAll } from '../../audit/service.ts';
import { findOrCreateByPhone } from '../../contacts/identity/identities.ts';
import { messageSent } from '../../conversations/receiving/announcing.ts';
import { keepEcho } from '../../conversations/receiving/echoing.ts';
import { isKnown } from '../../conversations/receiving/told.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { transact } from '../../db/transact.ts';
import type { MessageEcho } from '../../gateway/cloud-api/wire.ts';
import { recordFact } from '../../outbox/record.ts';
import { recordTakeover } from '../../outbox/takeovers.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { type Arrival, contentOf, DIGITS } from './arrivals.ts';

/** A message that somebody of the business typed on the handset or in the companion app, in our words. */
export interface Echo
  extends Pick<Arrival, 'providerId' | 'at' | 'type' | 'text' | 'media' | 'replyTo'> {
  /** To whom, E.164. */
  readonly phone: string;
}

/** Taking back and correcting say something of another message; neither is one. */
const NO_MESSAGES = ['system', 'revoke', 'edit'];

/** Null for what is no message, and for one to nobody whom a phone names. */
export function echoOf(item: MessageEcho, now: Date): Echo | null {
  if (NO_MESSAGES.includes(item.type) || item.group_id || !DIGITS.test(item.to)) return null;
  return {
    ...contentOf(item),
    providerId: item.id,
    phone: `+${item.to}`,
    at: momentOf(item.timestamp, now),
    replyTo: item.reaction?.message_id ?? item.context?.id ?? null,
  };
}

const BY_HAND = { origin: 'team', createdVia: 'member' } as const;

/**
 * Takes such a message in, in one transaction: it stands in the conversation as ours, with the source
 * `phone`, and whoever typed it has taken the conversation over (design decisions §1, §9).
 * @returns false for a message that was taken before.
 */
export function takeEcho(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: NumberOwner,
  echo: Echo,
): Promise<boolean> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  return transact(ctx, async (tx) => {
    if (await isKnown(tx, numberId, echo.providerId)) return false;
    const { contact, entries } = await findOrCreateByPhone(tx, { ...echo, name: '', ...BY_HAND });
    const { messageId, conversationId } = await keepEcho(tx, {
      ...echo,
      numberId,
      contactId: contact.id,
    });
    await recordTakeover(tx, conversationId);
    const { id: contactId, name, phone } = contact;
    const sent = {
      id: messageId,
      text: echo.text,
      name,
      phone,
      contactId,
      conversationId,
      numberId,
    };
    await recordFact(tx, messageSent(organizationId, { ...sent, source: 'phone' }, echo.at));
    await auditAll(tx, entries);
    return true;
  });
}
