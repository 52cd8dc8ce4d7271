import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** A happening that starts nothing, and tells a run that one of its messages was lost. */
export const MESSAGE_LOST = 'message_lost';

/** SQL: the sources of messages that answer somebody. */
export const ANSWERS = "('member', 'automation', 'api', 'phone')";

/** SQL: whether the message `s` is a person's and new: no edit of one, and no reaction taken back. */
export const ASKS = `s.direction = 'inbound' and s.type <> 'edit' and not (s.type = 'reaction' and s.text = '')`;

// Whoever answers holds the conversation's row: only what begins after this sees that answer.
const LOCK = `
select from conversations v
where v.organization_id = $1 and v.id = any(array(select m.conversation_id from messages m
  where m.organization_id = $1 and m.id = any($2::text[]) and m.status = 'failed' and m.source in ${ANSWERS}))
order by v.id for no key update`;

// The happening goes the same way as others of the contact, so that it is handled in order and once. The waiting begins
// anew, so that the return timer leaves whoever has the conversation their time.
const KEEP = `
with lost as (
  select l.id as trigger_id, m.id, m.contact_id, m.conversation_id, m.run_id, m.source
  from unnest($2::text[], $3::text[]) l (id, message_id)
  join messages m on m.organization_id = $1 and m.id = l.message_id and m.status = 'failed'
), unanswered as (
  update conversations v set waiting_since = coalesce(v.waiting_since, now()), unread = greatest(v.unread, 1), updated_at = now()
  where v.organization_id = $1 and v.id = any(array(select conversation_id from lost where source in ${ANSWERS}))
    and v.status = 'open' and v.contact_id is not null
    and (select s.direction from messages s
      where s.organization_id = $1 and s.conversation_id = v.id
        and (${ASKS} or s.source in ${ANSWERS} and s.status not in ('failed', 'cancelled'))
      order by s.id desc limit 1) = 'inbound'
)
insert into automation_triggers (organization_id, id, contact_id, conversation_id, trigger, data, created_at)
select $1, l.trigger_id, l.contact_id, l.conversation_id, jsonb_build_object('type', $4::text, 'ref', l.id),
  jsonb_build_object('run_id', r.id), now()
from lost l join automation_runs r on r.organization_id = $1 and r.id = l.run_id and r.status in ('running', 'waiting')`;

/**
 * What follows from messages that were just lost, in the caller's transaction. A run in progress is told about its own, and
 * fails (design decisions §9, `send_failed`). And a lost answer answered nobody: whoever wrote last waits again.
 */
export async function recordLosses(
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await sql.rows(LOCK, [organizationId, messageIds], 'lost-answers');
  const ids = messageIds.map(() => newId('fct'));
  const params = [organizationId, ids, messageIds, MESSAGE_LOST];
  await sql.rows(KEEP, params, 'messages-lost');
}
