import { commandFact, insertFacts } from '../outbox/record.ts';
import { leaveConversations } from './leaving.ts';
import { type Ending, withdrawAutomated } from './withdrawing.ts';

/** Which runs to end: a condition on `r`, with its parameters from `$4` on. */
interface Which {
  readonly where: string;
  readonly params: readonly unknown[];
}

interface Ended {
  readonly id: string;
  readonly conversationId: string | null;
  readonly hasWorkflow: boolean;
}

/**
 * Ends active runs of automations and their current steps, in the caller's transaction, and tells their workflows,
 * which have nothing left to wait for. A step being taken locks its run's row, so a run always ends between two
 * steps. What a cancelled run has yet to say is not sent.
 *
 * @returns how many runs
 */
export async function endRuns(
  tx: Ending,
  status: 'cancelled' | 'handed_over',
  { where, params }: Which,
): Promise<number> {
  const rows = await tx.sql.rows<Ended>(
    `with ended as (
       update automation_runs r set status = $2, finished_at = $3, wait_until = null, waits_for = null, lane_at = null
       where r.organization_id = $1 and r.status in ('running', 'waiting') and ${where}
       returning r.id, r.conversation_id, r.has_workflow),
     steps as (
       update automation_run_steps s set status = 'cancelled', finished_at = $3 from ended
       where s.organization_id = $1 and s.run_id = ended.id and s.status in ('running', 'waiting'))
     select id, conversation_id as "conversationId", has_workflow as "hasWorkflow" from ended`,
    [tx.organizationId, status, tx.now, ...params],
  );
  const conversationIds = rows.flatMap(({ conversationId }) => conversationId ?? []);
  if (status === 'cancelled')
    await withdrawAutomated(tx, { runIds: rows.map(({ id }) => id), conversationIds });
  await leaveConversations(tx, conversationIds);
  const asleep = rows.filter(({ hasWorkflow }) => hasWorkflow);
  if (asleep.length > 0) {
    const facts = asleep.map(({ id }) => commandFact('run.ended', { runId: id }));
    await insertFacts(tx.sql, tx.organizationId, facts);
    tx.recorded.add('commands');
  }
  return rows.length;
}
