import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** What a run is told when one of its messages is lost: a happening that starts nothing. */
export const MESSAGE_LOST = 'message_lost';

// It is on the way of what happened to the contact, so that it comes in order and is acted on once.
const KEEP = `
insert into automation_triggers (organization_id, id, contact_id, conversation_id, trigger, data, created_at)
select $1, l.id, m.contact_id, m.conversation_id, jsonb_build_object('type', $4::text, 'ref', m.id),
  jsonb_build_object('run_id', r.id), now()
from unnest($2::text[], $3::text[]) l (id, message_id)
join messages m on m.organization_id = $1 and m.id = l.message_id and m.status = 'failed'
join automation_runs r on r.organization_id = $1 and r.id = m.run_id and r.status in ('running', 'waiting')`;

/**
 * Tells the runs that still go on of their messages that have just been lost, in the caller's transaction:
 * such a run fails (design decisions §9, `send_failed`). Messages of others are passed over.
 */
export async function recordLosses(
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  const ids = messageIds.map(() => newId('fct'));
  const params = [organizationId, ids, messageIds, MESSAGE_LOST];
  await sql.rows(KEEP, params, 'messages-lost');
}
