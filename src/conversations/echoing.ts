import type { Context } from '../context.ts';
import { newId } from '../ids.ts';
import { openConversation } from './outgoing.ts';
import { fileOf, type IncomingMessage, idOfProvider, type KeptMessage } from './receiving.ts';

/**
 * Keeps a message that the business wrote in its own app and that is not known yet, in the caller's
 * transaction: as ours and sent, in the conversation of the number and the contact, which is begun when there
 * is none. Nobody waits there any more, and a person answers. A closed one stays closed, as with a message
 * that is sent from here.
 */
export async function keepEcho(
  tx: Context,
  message: IncomingMessage,
): Promise<Pick<KeptMessage, 'messageId' | 'conversationId'>> {
  const { numberId, contactId, replyTo } = message;
  const conversationId = await openConversation(tx, { numberId, contactId });
  const replyToId = replyTo === null ? null : await idOfProvider(tx, numberId, replyTo);
  const mediaId = await fileOf(tx, message, conversationId);
  const messageId = newId('msg');
  await tx.sql.rows(KEEP, [
    tx.organizationId,
    messageId,
    conversationId,
    numberId,
    contactId,
    message.type,
    message.text,
    message.media?.name ?? '',
    message.media?.type ?? '',
    mediaId,
    replyToId,
    message.providerId,
    message.at,
    tx.now,
  ]);
  return { messageId, conversationId };
}

const KEEP = `
with answered as (
  update conversations set waiting_since = null, unread = 0, handled_by = 'member',
    last_message_at = greatest(last_message_at, $13), updated_at = $14
  where organization_id = $1 and id = $3
), spoken as (
  update contacts set last_outbound_at = greatest(last_outbound_at, $13)
  where organization_id = $1 and id = $5
)
insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
  source, media_name, media_type, media_id, reply_to_id, provider_id, sent_at, created_at)
values ($1, $2, $3, $4, $5, 'outbound', $6, $7, 'sent', 'phone', $8, $9, $10, $11, $12, $13, $14)`;
