import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { windowAfter } from '../rules.ts';
import { openConversation } from '../sending/opening.ts';
import { waitingAfterOurs } from '../waiting.ts';
import type { IncomingMessage, KeptMessage } from './receiving.ts';
import { type WrittenMessage, writeReported } from './reported.ts';

interface KeptEcho extends WrittenMessage, Pick<KeptMessage, 'conversationId'> {
  /** False if the contact has written since. */
  readonly isLatest: boolean;
}

/**
 * Stores a message that the business wrote in its own app, unless it is known already, in the caller's transaction.
 * It counts as ours and sent, in the conversation of the number and the contact, which is created if there is none.
 * The contact no longer waits (`waitingAfterOurs`), and a person now handles the conversation, unless the contact has
 * written since: then WhatsApp tells of it late. A closed conversation stays closed, as with any message sent from here.
 */
export async function keepEcho(tx: Context, message: IncomingMessage): Promise<KeptEcho> {
  const { numberId, contactId, at } = message;
  const conversationId = await openConversation(tx, { numberId, contactId });
  const params = [tx.organizationId, conversationId, contactId, at, tx.now, windowAfter(at)];
  const row = await first<Pick<KeptEcho, 'isLatest'>>(tx.sql, ANSWERED, params);
  const place = { conversationId, contactId, writer: null, ours: true };
  const written = await writeReported(tx, message, place);
  return { ...written, conversationId, isLatest: row?.isLatest ?? true };
}

// The window ends a day after the contact's latest message.
const IS_LATEST = 'coalesce(window_expires_at <= $6, true)';

const ANSWERED = `
with spoken as (
  update contacts set last_outbound_at = greatest(last_outbound_at, $4)
  where organization_id = $1 and id = $3
)
update conversations set last_message_at = greatest(last_message_at, $4), updated_at = $5,
  waiting_since = case when ${IS_LATEST} then ${waitingAfterOurs('null')} else waiting_since end,
  unread = case when ${IS_LATEST} then 0 else unread end,
  handled_by = case when ${IS_LATEST} then 'member' else handled_by end
where organization_id = $1 and id = $2 returning ${IS_LATEST} as "isLatest"`;
