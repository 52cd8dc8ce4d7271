import { signatureOf } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { messagePriority } from './outgoing.ts';

/** A text to be sent into an existing conversation. */
export interface OutgoingText {
  /** `msg_…`, which is also sent along as the correlation. */
  readonly id: string;
  readonly conversationId: string;
  /** One of the contact's phones, if it is meant for this one. */
  readonly toPhone: string | null;
  readonly text: string;
  readonly reminderId: string;
  /** Also sent to a contact who opted out; for transactional reminders only. */
  readonly despiteOptOut: boolean;
}

const QUEUE = `
with given as (
  select * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bool[], $11::text[])
    g (id, conversation_id, text, reminder_id, despite_opt_out, to_phone)),
written as (
  insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text,
    status, source, media_name, media_type, author, reminder_id, created_at)
  select $1, g.id, v.id, v.number_id, v.contact_id, 'outbound', 'text', g.text,
    'queued', $7, '', '', $8::jsonb, g.reminder_id, $9
  from given g join conversations v on v.organization_id = $1 and v.id = g.conversation_id
  order by g.id
  returning id, number_id, conversation_id)
insert into outgoing_messages (organization_id, message_id, number_id, conversation_id, to_phone, priority, despite_opt_out,
  created_at)
select $1, w.id, w.number_id, w.conversation_id, g.to_phone, $10, g.despite_opt_out, $9
from written w join given g on g.id = w.id`;

/** `queueMessage` for many texts in one statement, in the caller's transaction. */
export async function queueTexts(tx: Context, texts: readonly OutgoingText[]): Promise<void> {
  if (texts.length === 0) return;
  const params = [
    tx.organizationId,
    texts.map(({ id }) => id),
    texts.map(({ conversationId }) => conversationId),
    texts.map(({ text }) => text),
    texts.map(({ reminderId }) => reminderId),
    texts.map(({ despiteOptOut }) => despiteOptOut),
    'reminder',
    JSON.stringify(signatureOf(tx.actor)),
    tx.now,
    messagePriority('reminder'),
    texts.map(({ toPhone }) => toPhone),
  ];
  await tx.sql.rows(QUEUE, params, 'queue-texts');
  tx.recorded.add('messages');
}
