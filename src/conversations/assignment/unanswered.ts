import { visibleConversations } from '../../access/visibility.ts';
import type { ReadContext } from '../../context.ts';
import { binding } from '../../db/sql.ts';

/** A conversation that nobody answers, and with whom it is. */
interface Unanswered {
  readonly id: string;
  readonly contact_id: string | null;
  readonly group_id: string | null;
}

const SHOWN = 20;

/**
 * Conversations whose return timer has ended with an alert, of those that the caller sees: their person waits, and nobody
 * got them since. Some of them, if there are many.
 */
export function unansweredConversations(ctx: ReadContext): Promise<Unanswered[]> {
  const { params, bind } = binding(ctx.organizationId, ctx.now);
  // Those whose time is not over cannot have an alert.
  return ctx.sql.rows(
    `select c.id, c.contact_id, c.group_id from teams t
     join conversations c on c.organization_id = $1 and c.assigned_team_id = t.id
     where t.organization_id = $1 and c.status = 'open' and (c.snoozed_until is null or c.snoozed_until <= $2)
       and c.waiting_since <= $2::timestamptz - make_interval(mins => t.return_after_minutes)
       and ${visibleConversations(ctx.actor, 'c', bind)}
       and (select a.type from conversation_activities a
         where a.organization_id = $1 and a.conversation_id = c.id and a.created_at >= c.waiting_since
           and a.type in ('assigned', 'transferred', 'handed_over', 'returned', 'unanswered')
         order by a.id desc limit 1) = 'unanswered'
     limit ${SHOWN}`,
    params,
  );
}
