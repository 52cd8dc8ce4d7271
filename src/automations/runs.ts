import { audit } from '../audit/service.ts';
import { endRuns } from '../automated/runs.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { findRun, type RunRow } from './queries.ts';
import { getRun } from './reading.ts';
import { runCancelRefusal } from './rules.ts';
import type { RunDetail } from './schema.ts';

/** Ends a run in progress where it is; 409 `invalid_state` if it has ended. */
export const cancelRun = (ctx: Context, id: string): Promise<RunDetail> =>
  transact(ctx, async (tx) => {
    const run = await findRun(tx, id, { lock: true });
    if (!run) throw notFound('run');
    const refusal = runCancelRefusal(run.status);
    if (refusal) throw refusal;
    await cancel(tx, run);
    return getRun(tx, id);
  });

/** The run's workflow was cancelled, so its row is too, if it goes on. */
export const cancelRunByOperator = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const run = await findRun(tx, id, { lock: true });
    if (run && !runCancelRefusal(run.status)) await cancel(tx, run);
  });

async function cancel(tx: Context, { id, automation: name, status: from }: RunRow): Promise<void> {
  await endRuns(tx, 'cancelled', { where: 'r.id = $4', params: [id] });
  await audit(tx, {
    action: 'automation.run_cancelled',
    target: { type: 'run', id, name },
    changes: [{ field: 'status', from, to: 'cancelled' }],
  });
}
