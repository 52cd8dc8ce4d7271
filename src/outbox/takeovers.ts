import type { Context } from '../context.ts';

/**
 * A person has taken a conversation over, in the caller's transaction: the automations that talk in it
 * are handed over from this moment (design decisions §9, Handover). Their workflows look at the row.
 *
 * @returns how many runs that were.
 */
export async function recordTakeover(
  { sql, organizationId, now }: Pick<Context, 'sql' | 'organizationId' | 'now'>,
  conversationId: string,
): Promise<number> {
  const rows = await sql.rows(
    `update automation_runs set status = 'handed_over', wait_until = null, finished_at = $3
     where organization_id = $1 and conversation_id = $2 and status in ('running', 'waiting')
     returning id`,
    [organizationId, conversationId, now],
  );
  return rows.length;
}
