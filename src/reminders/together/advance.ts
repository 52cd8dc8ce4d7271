import type { Context } from '../../context.ts';
import { canSend } from '../../numbers/rules.ts';
import { GRACE_MS, isToOne } from '../rules.ts';
import { nextNumberLook } from '../running/step.ts';
import { momentOfDay } from '../schedule.ts';
import { beginTogether } from './beginning.ts';
import { endTogether } from './ending.ts';
import {
  type Beginning,
  type Due,
  type Ending,
  lockDue,
  openRunsOf,
  type Running,
  wakeAtTogether,
} from './state.ts';

/**
 * Advances the due reminders of a workspace that go to a single person, phone or group each: begins their runs,
 * queues their messages, counts the outcomes, in a few statements for all of them. In the caller's transaction. This
 * is the path for thousands due in the same minute; `takeStep` does the same for one of any kind, and both may run at
 * once.
 *
 * @returns due reminders that are not that simple: they are for `takeStep`, each in its own transaction
 */
export async function advanceTogether(tx: Context, ids: readonly string[]): Promise<string[]> {
  const due = await lockDue(tx, ids);
  if (due.length === 0) return [];
  // After the locks, so that a run begun meanwhile is seen.
  const runs = await openRunsOf(
    tx,
    due.map(({ id }) => id),
  );
  const { alone, ending, beginning, waiting } = sorted(due, runs, tx.now);
  await wakeAtTogether(tx, waiting);
  alone.push(...(await endTogether(tx, ending)));
  await beginTogether(tx, beginning);
  return alone;
}

/** What to do for each. */
function sorted(due: readonly Due[], runs: ReadonlyMap<string, Running[]>, now: Date) {
  const alone: string[] = [];
  const ending: Ending[] = [];
  const beginning: Beginning[] = [];
  const waiting: { readonly id: string; readonly at: Date }[] = [];
  for (const reminder of due) {
    const [run, another] = runs.get(reminder.id) ?? [];
    const at = run ? null : dueMoment(reminder, now);
    if (run && !another && isSimple(run)) ending.push({ reminder, run });
    else if (at === null) alone.push(reminder.id);
    else if (canSend(reminder.numberStatus)) beginning.push({ reminder, at });
    else waiting.push({ id: reminder.id, at: nextNumberLook(now, limitOf(at)) });
  }
  return { alone, ending, beginning, waiting };
}

const isSimple = ({ frozen_at: frozenAt, target }: Running): boolean =>
  frozenAt !== null && isToOne(target);

/** When a simple reminder is due, which is now; null if it is not that simple. */
function dueMoment(reminder: Due, now: Date): Date | null {
  const { status, due_day: day, next_run_at: planned } = reminder;
  if (status !== 'active' || day === null || !isToOne(reminder.target)) return null;
  const at = momentOfDay(reminder, day);
  if (at.getTime() !== planned?.getTime() || at > now) return null;
  return now.getTime() - at.getTime() > GRACE_MS ? null : at;
}

const limitOf = (due: Date): Date => new Date(due.getTime() + GRACE_MS);
