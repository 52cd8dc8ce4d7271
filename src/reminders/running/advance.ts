import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import type { ReminderProgress } from '../rules.ts';
import { takeStep } from './step.ts';

export interface ReminderRef {
  readonly organizationId: string;
  readonly reminderId: string;
}

export interface ReminderDeps {
  readonly contextFor: (organizationId: string, actor: Actor) => Context;
  readonly mayGoOn: () => boolean;
}

/** A run with more people than fit in the queue at once: the next of them follow so soon. */
const NEXT_BATCH_MS = 250;
/** When nobody left the queue for so long, the pace is slow and the workflow waits. */
const PATIENCE_MS = 3_000;

/**
 * Moves a reminder as far as it goes by itself, each step in a transaction of its own: what is due begins,
 * recipients are written down and queued, what became of them is counted, the next run is read from the rule.
 * Any number of processes may do so at once, again and after a crash: nobody is queued twice for one run.
 */
export async function advanceReminder(
  { contextFor, mayGoOn }: ReminderDeps,
  { organizationId, reminderId }: ReminderRef,
): Promise<ReminderProgress> {
  const step = (): Promise<ReminderProgress | 'more'> =>
    transactAgain(contextFor(organizationId, system('reminders')), (tx) =>
      takeStep(tx, reminderId),
    );
  let idleSince = performance.now();
  for (;;) {
    const progress = await step();
    if (progress === 'more') {
      idleSince = performance.now();
      if (mayGoOn()) continue;
      return { stage: 'running', waitMs: 0, left: 0 };
    }
    const slow = performance.now() - idleSince > PATIENCE_MS;
    if (progress.stage !== 'running' || progress.left === 0 || slow || !mayGoOn()) return progress;
    await sleep(NEXT_BATCH_MS);
  }
}
