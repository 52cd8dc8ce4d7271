import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** A happening that starts nothing, and tells a run that one of its messages was lost. */
export const MESSAGE_LOST = 'message_lost';

// It goes the same way as other happenings of the contact, so that it is handled in order and once.
const KEEP = `
insert into automation_triggers (organization_id, id, contact_id, conversation_id, trigger, data, created_at)
select $1, l.id, m.contact_id, m.conversation_id, jsonb_build_object('type', $4::text, 'ref', m.id),
  jsonb_build_object('run_id', r.id), now()
from unnest($2::text[], $3::text[]) l (id, message_id)
join messages m on m.organization_id = $1 and m.id = l.message_id and m.status = 'failed'
join automation_runs r on r.organization_id = $1 and r.id = m.run_id and r.status in ('running', 'waiting')`;

/**
 * Tells runs in progress about their messages that were just lost, in the caller's transaction; such a run fails
 * (design decisions §9, `send_failed`). Messages from others are ignored.
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
