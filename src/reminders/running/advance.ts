import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import type { ContextFor } from '../../db/contexts.ts';
import { transact } from '../../db/transact.ts';
import type { ReminderProgress } from '../rules.ts';
import { leftOf, looksAt } from './state.ts';
import { takeStep } from './step.ts';

export interface ReminderRef {
  readonly organizationId: string;
  readonly reminderId: string;
}

export interface ReminderDeps {
  readonly contextFor: ContextFor;
  readonly mayGoOn: () => boolean;
  /** How many milliseconds after the moment the workflow should check; the lane acts first. */
  readonly behindMs: (reminderId: string) => number;
}

/** For a run that the workflow found in progress: the lane, which looks several times a second, has done it by then. */
const RUNNING_BEHIND_MS = 15_000;

/**
 * Advances a reminder as far as possible, each step in its own transaction: begins what is due, writes down and
 * queues recipients, counts the outcomes, computes the next run from the rule. Any number of processes may do so at
 * once, repeatedly and after a crash: no one is queued twice for one run.
 */
export async function advanceReminder(
  { contextFor, mayGoOn, behindMs }: ReminderDeps,
  { organizationId, reminderId }: ReminderRef,
): Promise<ReminderProgress> {
  const step = (): Promise<ReminderProgress | 'more'> =>
    transact(contextFor(organizationId, system('reminders')), async (tx) => {
      const progress = await takeStep(tx, reminderId);
      if (progress === 'more') return progress;
      return promised(tx, reminderId, progress, behindMs(reminderId));
    });
  for (;;) {
    const progress = await step();
    if (progress !== 'more') return progress;
    if (!mayGoOn()) return { stage: 'running', waitMs: 0, left: 0 };
  }
}

/**
 * The workflow comes back after the lane, at the time the row says; if it does not come then, it is started again.
 */
async function promised(
  tx: Context,
  reminderId: string,
  progress: ReminderProgress,
  behind: number,
): Promise<ReminderProgress> {
  if (progress.waitMs === 0) {
    await looksAt(tx, reminderId, null);
    return progress;
  }
  const own = progress.stage === 'running' ? Math.min(behind, RUNNING_BEHIND_MS) : behind;
  const waitMs = progress.waitMs + own;
  await looksAt(tx, reminderId, new Date(tx.now.getTime() + waitMs));
  if (progress.stage === 'sleeping') return { ...progress, waitMs, dueMs: progress.waitMs };
  return { ...progress, waitMs, left: progress.left > 0 ? await leftOf(tx, reminderId) : 0 };
}
