import { eventFact, type Fact } from '../../outbox/record.ts';
import type { MessageSource } from '../rules.ts';

/** A message of ours to a contact, as its event describes it. */
export interface SentMessage {
  readonly id: string;
  readonly text: string;
  readonly source: Exclude<MessageSource, 'contact'>;
  readonly numberId: string;
  readonly conversationId: string;
  readonly contactId: string;
  /** The contact's. */
  readonly name: string;
  /** Null or "" if the contact hides it. */
  readonly phone: string | null;
}

/**
 * The fact `message.sent` for a message that has just reached `sent` or further for the first time. Whoever sets its
 * `sent_at` records it, in the same transaction (specification, Delivery; design decisions §16).
 */
export const messageSent = (organizationId: string, message: SentMessage, sentAt: Date): Fact =>
  eventFact(
    organizationId,
    'message.sent',
    {
      message: { id: message.id, text: message.text },
      contact: { name: message.name, phone: message.phone ?? '' },
      number: { id: message.numberId },
      contact_id: message.contactId,
      conversation_id: message.conversationId,
      number_id: message.numberId,
      source: message.source,
    },
    sentAt,
  );
