import type { WebhookEventData } from '../../outbox/events.ts';
import { eventFact, type Fact } from '../../outbox/record.ts';
import type { MessageSource } from '../rules.ts';
import type { WrittenMessage } from './reported.ts';

/** What is in a message, as its event describes it. */
interface EventContent {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  readonly replyToId: string | null;
  readonly media: WrittenMessage['media'];
}

/** SQL: what is in the message `m`, apart from its id and its text. */
export const eventColumns = (m: string): string => `${m}.type, ${m}.reply_to_id as "replyToId",
  case when ${m}.media_id is not null
    then json_build_object('type', ${m}.type, 'name', ${m}.media_name, 'id', ${m}.media_id) end as media`;

/** A message in the words of its event, whether it came or went. */
export const eventMessage = (told: EventContent): WebhookEventData<'message.sent'>['message'] => ({
  id: told.id,
  text: told.text,
  type: told.type,
  ...(told.replyToId !== null && { reply_to_id: told.replyToId }),
  ...(told.media && { media: told.media }),
});

/** A message of ours to a contact, as its event describes it. */
export interface SentMessage extends EventContent {
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
      message: eventMessage(message),
      contact: { name: message.name, phone: message.phone ?? '' },
      number: { id: message.numberId },
      contact_id: message.contactId,
      conversation_id: message.conversationId,
      number_id: message.numberId,
      source: message.source,
    },
    sentAt,
  );
