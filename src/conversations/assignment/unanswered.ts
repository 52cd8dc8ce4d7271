import { visibleConversations } from '../../access/visibility.ts';
import type { ReadContext } from '../../context.ts';
import { binding } from '../../db/sql.ts';

/** A conversation that nobody answers, and with whom it is. */
interface Unanswered {
  readonly id: string;
  readonly contact_id: string | null;
  readonly group_id: string | null;
}

/**
 * Conversations whose return timer has ended with an alert, of those that the caller sees: their person waits, and nobody
 * got them since. The longest waiting first.
 */
export function unansweredConversations(ctx: ReadContext, limit: number): Promise<Unanswered[]> {
  const { params, bind } = binding(ctx.organizationId, ctx.now);
  const atMost = bind(limit);
  // Those whose time is not over cannot have an alert. Of each team an index gives the first ones, however many wait.
  return ctx.sql.rows(
    `select c.id, c.contact_id, c.group_id from teams t cross join lateral (
     select c.id, c.contact_id, c.group_id, c.waiting_since from conversations c
     where c.organization_id = $1 and c.assigned_team_id = t.id and c.status = 'open' and (c.snoozed_until is null or c.snoozed_until <= $2)
       and c.waiting_since <= $2::timestamptz - make_interval(mins => t.return_after_minutes)
       and ${visibleConversations(ctx.actor, 'c', bind)}
       and (select a.type from conversation_activities a
         where a.organization_id = $1 and a.conversation_id = c.id and a.created_at >= c.waiting_since
           and a.type in ('assigned', 'transferred', 'handed_over', 'returned', 'unanswered')
         order by a.id desc limit 1) = 'unanswered'
     order by c.waiting_since, c.id limit ${atMost}) c
     where t.organization_id = $1 order by c.waiting_since, c.id limit ${atMost}`,
    params,
  );
}
