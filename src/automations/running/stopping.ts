import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { recordCommand } from '../../outbox/record.ts';
import { endRun } from '../queries.ts';
import type { RunDeps, RunRef } from './advance.ts';
import { takeStep } from './step.ts';

/** Ended at once, with the answer; the workflow ends the others, so many at a time. */
const AT_ONCE = { answering: 50, later: 200 };

/** Its row ends as its workflow does. */
export const cancelByOperator = (deps: RunDeps, { organizationId, runId }: RunRef): Promise<void> =>
  transact(deps.contextFor(organizationId, system('Temporal operator')), async (tx) => {
    await endRun(tx, runId);
  });

const STOP = 'update automations set stop_before = $3 where organization_id = $1 and id = $2';

/**
 * Joins the caller's transaction: runs that have begun by now stop, each between two steps. From the commit
 * on none takes another step, whenever its row comes to be ended (specification, deactivate).
 */
export async function stopAutomation(tx: Context, automationId: string): Promise<void> {
  await tx.sql.rows(STOP, [tx.organizationId, automationId, tx.now]);
  const ended = await stopSome(tx, automationId, AT_ONCE.answering);
  if (ended === AT_ONCE.answering) await recordCommand(tx, 'automation.stopped', { automationId });
}

/** A page of them. @returns whether there may be more. */
export const stopRuns = (
  deps: RunDeps,
  ref: { readonly organizationId: string; readonly automationId: string },
): Promise<boolean> =>
  transact(deps.contextFor(ref.organizationId, system('automations')), async (tx) => {
    return (await stopSome(tx, ref.automationId, AT_ONCE.later)) === AT_ONCE.later;
  });

const STOPPED = `
select r.id from automation_runs r join automations a on a.organization_id = r.organization_id and a.id = r.automation_id
where r.organization_id = $1 and r.automation_id = $2 and r.status in ('running', 'waiting') and r.started_at <= a.stop_before
order by r.id limit $3`;

async function stopSome(tx: Context, automationId: string, limit: number): Promise<number> {
  const params = [tx.organizationId, automationId, limit];
  const rows = await tx.sql.rows<{ id: string }>(STOPPED, params);
  for (const { id } of rows) await takeStep(tx, id, 'lane');
  return rows.length;
}
