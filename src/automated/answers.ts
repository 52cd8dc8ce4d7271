import type { Sql } from '../db/sql.ts';

/** SQL: the sources of messages that answer somebody. */
export const ANSWERS = "('member', 'automation', 'api', 'phone')";

/** SQL: whether the message `m` says something. Whoever edits or deletes an earlier one, or takes a reaction back says nothing. */
export const said = (m: string): string =>
  `${m}.type <> 'edit' and (${m}.type <> 'reaction' or ${m}.text <> '')`;

/** SQL: whether the message `s` is a person's and new. */
export const ASKS = `s.direction = 'inbound' and ${said('s')}`;

/** SQL: whether the team of the conversation `v` has a queue, which gives out what waits. */
export const hasQueue = (v: string): string => `exists (select from teams t
  where t.organization_id = ${v}.organization_id and t.id = ${v}.assigned_team_id and t.auto_assign)`;

/** SQL: whether the person of the conversation `v` has never written there, though a window may be open. */
export const unwritten = (v: string): string =>
  `${v}.window_expires_at is not distinct from ${v}.unwritten_until`;

// Whoever answers holds the conversation's row: only what begins after this sees that answer.
const LOCK = `
select v.id from conversations v
where v.organization_id = $1 and v.id = any(array(select m.conversation_id from messages m
  where m.organization_id = $1 and m.id = any($2::text[]) and m.status in ('failed', 'cancelled')
    and m.source in ${ANSWERS}))
order by v.id for no key update`;

// What an automation says in a queue answers nobody there (`WAITING_AFTER_AUTOMATION`): nobody had it then, or has it now.
const IN_QUEUE = `s.source = 'automation' and ${hasQueue('v')} and (v.assigned_member_id is null or exists (
  select from conversation_activities a
  where a.organization_id = $1 and a.conversation_id = v.id and a.data ->> 'member_id' = v.assigned_member_id
    and a.created_at >= s.created_at))`;

// The waiting begins anew, so that the return timer leaves whoever has the conversation their time.
const WAIT = `
update conversations v set waiting_since = coalesce(v.waiting_since, now()), unread = greatest(v.unread, 1), updated_at = now()
where v.organization_id = $1 and v.id = any($2::text[]) and v.status = 'open' and v.contact_id is not null
  and (select s.direction from messages s
    where s.organization_id = $1 and s.conversation_id = v.id
      and (${ASKS} or s.source in ${ANSWERS} and s.status not in ('failed', 'cancelled') and not (${IN_QUEUE}))
    order by s.id desc limit 1) = 'inbound'`;

/**
 * Messages were just lost or withdrawn, in the caller's transaction. An answer that does not go out answered nobody:
 * whoever wrote last waits again.
 */
export async function waitAgain(
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  const talks = await sql.rows<{ id: string }>(LOCK, [organizationId, messageIds], 'lost-answers');
  if (talks.length === 0) return;
  const ids = talks.map(({ id }) => id);
  await sql.rows(WAIT, [organizationId, ids], 'waiting-again');
}
