import type { Context } from '../context.ts';
import { waitAgain } from './answers.ts';

/** A transaction in which runs may end. */
export type Ending = Pick<Context, 'sql' | 'organizationId' | 'now' | 'recorded'>;

type Whose =
  /** All that automations have yet to say in a conversation. */
  | { readonly conversationId: string }
  /** Only what these runs have, in their conversations. */
  | { readonly runIds: readonly string[]; readonly conversationIds: readonly string[] };

/**
 * Cancels the messages of automations that have not left the queue, in the caller's transaction; whoever they were to
 * answer waits again. One that is locked is being sent: if WhatsApp turns it away, it is not tried again (`WITHDRAWN`).
 */
export async function withdrawAutomated(
  { sql, organizationId }: Pick<Ending, 'sql' | 'organizationId'>,
  whose: Whose,
): Promise<void> {
  const [conversationIds, runIds] =
    'runIds' in whose ? [whose.conversationIds, whose.runIds] : [[whose.conversationId], null];
  if (conversationIds.length === 0) return;
  const params = [organizationId, conversationIds, runIds];
  const rows = await sql.rows<{ id: string }>(WITHDRAW, params, 'withdraw-automated');
  const withdrawn = rows.map(({ id }) => id);
  await waitAgain(sql, organizationId, withdrawn);
}

/**
 * Whether a message `m` in its conversation `v` was withdrawn while it was being sent: its run or its reminder was
 * cancelled, or a person has taken over from automations since.
 */
export const WITHDRAWN = `case m.source
  when 'automation' then coalesce(m.id <= v.silenced_through, false)
    or coalesce((select r.status = 'cancelled' from automation_runs r
      where r.organization_id = $1 and r.id = m.run_id), false)
  when 'reminder' then coalesce((select r.status = 'cancelled' from reminders r
    where r.organization_id = $1 and r.id = m.reminder_id), false)
  else false end`;

const QUEUED = `
  from unnest($2::text[]) t (id)
  join conversations v on v.organization_id = $1 and v.id = t.id
  cross join lateral (select o.message_id from outgoing_messages o
    where o.organization_id = $1 and o.conversation_id = v.id) o
  join messages m on m.organization_id = $1 and m.id = o.message_id
  where m.source = 'automation' and ($3::text[] is null or m.run_id = any($3::text[]))`;

// In the order in which they are sent and settled. A conversation that is locked may wait for this run: its messages stay,
// and the lane withdraws them, which can wait for it. What waited to be tried again holds up nothing behind it, either way.
const WITHDRAW = `
with waiting as (
  select m.id ${QUEUED} and m.status = 'queued'
  order by m.id for no key update of m, v skip locked
), unsent as materialized (
  select m.id, m.status ${QUEUED} and m.status in ('queued', 'sending')
), later as (
  select o.message_id from outgoing_messages o
  where o.organization_id = $1 and o.message_id = any(array(select id from unsent where status = 'queued'))
    and o.not_before > now() for no key update skip locked
), cleared as (
  update outgoing_messages o set not_before = now() from later l
  where o.organization_id = $1 and o.message_id = l.message_id
), silenced as (
  update conversations c set silenced_through = way.through
  from (select max(id) as through from unsent where id not in (select id from waiting)) way
  where $3::text[] is null and c.organization_id = $1 and c.id = any($2::text[]) and way.through is not null
)
update messages m set status = 'cancelled' from waiting w where m.organization_id = $1 and m.id = w.id
returning m.id`;
