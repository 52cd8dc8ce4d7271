import { system } from '../../access/actor.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import { transact } from '../../db/transact.ts';
import { recordCommand } from '../../outbox/record.ts';
import { advanceRun, type RunDeps, type RunRef } from './advance.ts';
import { type Heeded, heed } from './happenings.ts';
import type { Move } from './moves.ts';

export interface HappeningRef {
  readonly organizationId: string;
  readonly id: string;
}

/** How often a message waits for a run that goes on at that moment; then it is matched all the same. */
const TRIES = 3;
/** Looks at one run: its guard against loops ends it long before. */
const LOOKS = 20;

/**
 * Acts on a happening and takes the steps of the runs that it starts or continues, until each waits or ends.
 * Whoever dies on the way leaves rows that the reconciler finds.
 */
export async function actOn(deps: RunDeps, { organizationId, id }: HappeningRef): Promise<void> {
  for (let tried = 1; tried <= TRIES; tried++) {
    const ctx = deps.contextFor(organizationId, system('automations'));
    const patient = tried < TRIES;
    const { runs, again }: Heeded = await transactAgain(ctx, (tx) => heed(tx, id, patient));
    // One run must not keep others, or what happened, from going on; the reconciler takes it up.
    for (const { runId, move } of runs)
      await follow(deps, { organizationId, runId }, move).catch((err: unknown) => {
        deps.log.error({ err, run: runId }, 'a run of an automation could not go on yet');
      });
    if (!again) return;
  }
}

/** Takes the steps of a run until it waits or ends. */
async function follow(deps: RunDeps, ref: RunRef, move?: Move): Promise<void> {
  let progress = await advanceRun(deps, ref, 'lane', move);
  for (let looks = 1; looks < LOOKS && progress.stage === 'running'; looks++)
    progress = await advanceRun(deps, ref, 'lane');
}

const LEAVE = 'update automation_runs set lane_at = null where organization_id = $1 and id = $2';

/** Goes on with a run whose short wait is over. One that cannot go on now is left to a workflow, which tries again. */
export async function goOn(deps: RunDeps, ref: RunRef): Promise<void> {
  try {
    await follow(deps, ref);
  } catch (err) {
    const { organizationId, runId } = ref;
    deps.log.error({ err, run: runId }, 'a run of an automation could not go on yet');
    await transact(deps.contextFor(organizationId, system('automations')), async (tx) => {
      await tx.sql.rows(LEAVE, [organizationId, runId]);
      await recordCommand(tx, 'run.waiting', { runId });
    });
  }
}
