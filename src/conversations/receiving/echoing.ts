import type { Context } from '../../context.ts';
import { openConversation } from '../sending/outgoing.ts';
import type { IncomingMessage, KeptMessage } from './receiving.ts';
import { writeReported } from './reported.ts';

/**
 * Stores a message that the business wrote in its own app, unless it is known already, in the caller's transaction.
 * It counts as ours and sent, in the conversation of the number and the contact, which is created if there is none.
 * The contact no longer waits, and a person now handles the conversation. A closed conversation stays closed, as with
 * any message sent from here.
 */
export async function keepEcho(
  tx: Context,
  message: IncomingMessage,
): Promise<Pick<KeptMessage, 'messageId' | 'conversationId'>> {
  const { numberId, contactId, at } = message;
  const conversationId = await openConversation(tx, { numberId, contactId });
  await tx.sql.rows(ANSWERED, [tx.organizationId, conversationId, contactId, at, tx.now]);
  const place = { conversationId, contactId, writer: null, ours: true };
  const { messageId } = await writeReported(tx, message, place);
  return { messageId, conversationId };
}

const ANSWERED = `
with spoken as (
  update contacts set last_outbound_at = greatest(last_outbound_at, $4)
  where organization_id = $1 and id = $3
)
update conversations set waiting_since = null, unread = 0, handled_by = 'member',
  last_message_at = greatest(last_message_at, $4), updated_at = $5
where organization_id = $1 and id = $2`;
