import type { AtStep } from './effect.ts';
import type { WaitsFor } from './run.ts';

/** Who makes sure that a waiting run continues. */
export interface Watch {
  /** The lane, at this time; null if a workflow does. */
  readonly laneAt: Date | null;
  /** When the workflow checks at the latest; null if that is not known. */
  readonly workflowAt: Date | null;
  readonly hasWorkflow: boolean;
}

/** How often a run that waits for a condition checks it. */
export const LOOK_EVERY_MS = 15 * 60_000;

/** When a waiting run is checked because of time. */
export const nextLook = (waitsFor: WaitsFor | 'call', until: Date, now: Date): Date =>
  waitsFor === 'condition'
    ? new Date(Math.min(until.getTime(), now.getTime() + LOOK_EVERY_MS))
    : until;

/** A wait this short stays with the lane: a workflow would cost more than everything else the run does. */
const SOON_MS = 60_000;
/** Clocks differ and steps take time, so a workflow that checks this soon may have done so already. */
const MARGIN_MS = 5_000;

/**
 * For longer waits, starts the run's workflow, or wakes it unless it checks by itself before the wait is over.
 *
 * @param lookAt when what it waits for may happen because of time: at the latest the end of the wait
 */
export function watchOver(
  { tx, run, by }: AtStep,
  waitsFor: WaitsFor,
  lookAt: Date,
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

/** A workflow has checked and found nothing to do, so it sleeps until then. */
export async function noteAsleep({ tx, run, by }: AtStep, until: Date): Promise<void> {
  const looksAt = nextLook(run.waitsFor ?? 'time', until, tx.now);
  if (by === 'lane' || (run.hasWorkflow && run.workflowAt?.getTime() === looksAt.getTime())) return;
  await tx.sql.rows(ASLEEP, [tx.organizationId, run.id, looksAt], 'run-asleep');
}
