import type { AtStep } from './effect.ts';
import type { WaitsFor } from './run.ts';

/** Who sees to it that a run which waits goes on. */
export interface Watch {
  /** The lane, then; null where a workflow does. */
  readonly laneAt: Date | null;
  /** The workflow looks then at the latest; null where it is not known when. */
  readonly workflowAt: Date | null;
  readonly hasWorkflow: boolean;
}

/** How often a run that waits for a condition looks whether it holds. */
const LOOK_EVERY_MS = 15 * 60_000;

/** When a run that waits is looked at by the clock. */
export const nextLook = (waitsFor: WaitsFor | 'call', until: Date, now: Date): Date =>
  waitsFor === 'condition'
    ? new Date(Math.min(until.getTime(), now.getTime() + LOOK_EVERY_MS))
    : until;

/** A wait that is over so soon stays with the lane: a workflow for it would cost more than all the run does. */
const SOON_MS = 60_000;
/** Clocks differ, and steps take their time: a workflow that looks so soon may have looked already. */
const MARGIN_MS = 5_000;

/**
 * The workflow of a run that waits longer is started, or woken unless it looks by itself before the wait is over.
 *
 * @param lookAt when what it waits for may become so by the clock, if that is known.
 */
export function watchOver(
  { tx, run, by }: AtStep,
  waitsFor: WaitsFor,
  until: Date,
  lookAt = until,
): Watch & { readonly isTold: boolean } {
  const { workflowAt, hasWorkflow } = run;
  const looksAt = nextLook(waitsFor, lookAt, tx.now);
  if (by === 'workflow')
    return { laneAt: null, workflowAt: looksAt, hasWorkflow: true, isTold: false };
  const now = tx.now.getTime();
  if (lookAt.getTime() - now <= SOON_MS)
    return { laneAt: lookAt, workflowAt, hasWorkflow, isTold: false };
  const looksBefore =
    workflowAt !== null && workflowAt.getTime() > now + MARGIN_MS && workflowAt <= looksAt;
  return looksBefore
    ? { laneAt: null, workflowAt, hasWorkflow, isTold: false }
    : { laneAt: null, workflowAt: looksAt, hasWorkflow: true, isTold: true };
}

const ASLEEP = `
update automation_runs set workflow_at = $3, has_workflow = true, moved_at = now()
where organization_id = $1 and id = $2`;

/** A workflow has looked and found nothing to do: so it sleeps until then. */
export async function noteAsleep({ tx, run, by }: AtStep, until: Date): Promise<void> {
  const looksAt = nextLook(run.waitsFor ?? 'time', until, tx.now);
  if (by === 'lane' || (run.hasWorkflow && run.workflowAt?.getTime() === looksAt.getTime())) return;
  await tx.sql.rows(ASLEEP, [tx.organizationId, run.id, looksAt], 'run-asleep');
}
