import { system } from '../../access/actor.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import { advanceRun, type RunDeps, type RunRef } from './advance.ts';
import { type Heeded, heed } from './happenings.ts';
import type { OnTheWay } from './hearing.ts';

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
    for (const run of runs) await followed(deps, organizationId, run);
    if (!again) return;
  }
}

async function followed(
  deps: RunDeps,
  organizationId: string,
  { runId, move }: OnTheWay,
): Promise<void> {
  const ref: RunRef = { organizationId, runId };
  try {
    let progress = await advanceRun(deps, ref, 'lane', move);
    for (let looks = 1; looks < LOOKS && progress.stage === 'running'; looks++)
      progress = await advanceRun(deps, ref, 'lane');
  } catch (err) {
    // One run must not keep others, or what happened, from going on; the reconciler takes it up.
    deps.log.error({ err, run: runId }, 'a run of an automation could not go on yet');
  }
}
