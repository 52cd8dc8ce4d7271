import { waitAgain } from '../automated/answers.ts';
import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** A happening that starts nothing, and tells a run that one of its messages was lost. */
export const MESSAGE_LOST = 'message_lost';

// The happening goes the same way as others of the contact, so that it is handled in order and once.
const TELL = `
insert into automation_triggers (organization_id, id, contact_id, conversation_id, trigger, data, created_at)
select $1, l.id, m.contact_id, m.conversation_id, jsonb_build_object('type', $4::text, 'ref', m.id),
  jsonb_build_object('run_id', r.id), now()
from unnest($2::text[], $3::text[]) l (id, message_id)
join messages m on m.organization_id = $1 and m.id = l.message_id and m.status = 'failed'
join automation_runs r on r.organization_id = $1 and r.id = m.run_id and r.status in ('running', 'waiting')`;

/**
 * What follows from messages that were just lost, or withdrawn while they were being sent, in the caller's transaction. A
 * run in progress is told about its lost ones, and fails (design decisions §9, `send_failed`). And whoever they were to
 * answer waits again.
 */
export async function recordLosses(
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await waitAgain(sql, organizationId, messageIds);
  const ids = messageIds.map(() => newId('fct'));
  const params = [organizationId, ids, messageIds, MESSAGE_LOST];
  await sql.rows(TELL, params, 'messages-lost');
}
