import { system } from '../../../access/actor.ts';
import type { Context } from '../../../context.ts';
import { transact } from '../../../db/transact.ts';
import { isAssigning } from '../../../members/assigning.ts';
import { recordCommand } from '../../../outbox/record.ts';
import { advanceRun, type RunRef, takeMore } from '../advance.ts';
import type { RunDeps } from '../deps.ts';
import type { Move } from '../moves.ts';
import type { Run } from '../run.ts';
import { takeStep } from '../step.ts';
import { type ActedOn, actOnHappening } from './happenings.ts';
import type { OnTheWay } from './hearing.ts';

export interface HappeningRef {
  readonly organizationId: string;
  readonly id: string;
}

/** How often a message waits for a run that is taking steps; after that it is matched in any case. */
const TRIES = 3;
/** Limit on the rounds for one run, far beyond what its guard against loops allows. */
const LOOKS = 20;

/**
 * Acts on a happening, and takes the steps of the runs that it starts or continues until each waits or ends. A
 * process that dies on the way leaves rows that the reconciler finds.
 */
export async function actOn(deps: RunDeps, { organizationId, id }: HappeningRef): Promise<void> {
  for (let tried = 1; tried <= TRIES; tried++) {
    const { runs, again } = await actOnOne(deps, { organizationId, id }, tried < TRIES);
    // A failing run must not keep others, or the happening itself, from going on; the reconciler takes it up.
    for (const { runId, move } of runs)
      await follow(deps, { organizationId, runId }, move).catch((err: unknown) => {
        deps.log.error({ err, run: runId }, 'a run of an automation could not go on yet');
      });
    if (!again) return;
  }
}

/**
 * Includes the first steps of its runs, so that a reply waits for a single commit. If these fail, it is repeated
 * without them.
 */
async function actOnOne(
  deps: RunDeps,
  { organizationId, id }: HappeningRef,
  patient: boolean,
): Promise<ActedOn> {
  const ctx = deps.contextFor(organizationId, system('automations'));
  try {
    return await transact(ctx, async (tx) => {
      const acted = await actOnHappening(tx, id, patient);
      // Another process is taking the steps of the runs that are waited for.
      if (acted.again) return acted;
      const [only, ...others] = acted.runs;
      if (only && others.length === 0)
        return { ...acted, runs: [await begin(tx, only, only.begun)] };
      const runs: OnTheWay[] = [];
      // A step of one run may end another, so each is read again; or it assigns, and the others are followed.
      for (const run of acted.runs) runs.push(isAssigning(tx) ? run : await begin(tx, run));
      return { ...acted, runs };
    });
  } catch (err) {
    deps.log.warn({ err, trigger: id }, 'the first steps of a run could not be taken at once');
    return transact(ctx, (tx) => actOnHappening(tx, id, patient));
  }
}

async function begin(tx: Context, { runId, move }: OnTheWay, begun?: Run): Promise<OnTheWay> {
  const first = move ?? (await takeStep(tx, runId, 'lane', { together: true, begun }));
  return { runId, move: await takeMore(tx, runId, 'lane', first) };
}

/** Takes the steps of a run until it waits or ends. */
async function follow(deps: RunDeps, ref: RunRef, move?: Move): Promise<void> {
  let progress = await advanceRun(deps, ref, 'lane', move);
  for (let looks = 1; looks < LOOKS && progress.stage === 'running'; looks++)
    progress = await advanceRun(deps, ref, 'lane');
}

const LEAVE = 'update automation_runs set lane_at = null where organization_id = $1 and id = $2';

/** Continues a run whose short wait is over. If it cannot continue now, a workflow will try again. */
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
