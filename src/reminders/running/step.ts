import type { Context } from '../../context.ts';
import { canSend } from '../../numbers/rules.ts';
import { GRACE_MS, isToOne, nextLookMs, type ReminderProgress, sweepOf } from '../rules.ts';
import { momentOfDay, nextRun, runAfterDay } from '../schedule.ts';
import { begin, end, miss } from './beginning.ts';
import { keepPlan, planAfter } from './plan.ts';
import { queueNext, ROOM } from './queueing.ts';
import { dropPending, freezeNext, missRest } from './recipients.ts';
import { finishRun, hearRun } from './settling.ts';
import {
  type Locked,
  lockReminder,
  numberOf,
  type OpenRun,
  openRunOf,
  type Standing,
  wakeAt,
} from './state.ts';

type Step = ReminderProgress | 'more';

/** How often to check while the number is down. */
const NUMBER_LOOK_MS = 2 * 60_000;
/** The last check in time: early enough that the lane, which looks twice a second, comes before the limit. */
const LAST_CHANCE_MS = 2_000;
/** The waking process's clock may be slightly behind. */
const AFTER_MS = 20;

/**
 * One step of a reminder, in the caller's transaction.
 *
 * @returns `more` if another step is due at once
 */
export async function takeStep(tx: Context, id: string): Promise<Step> {
  const reminder = await lockReminder(tx, id);
  if (!reminder) return over('gone');
  const run = await openRunOf(tx, id);
  if (run) return goOn(tx, reminder, run);
  if (reminder.status === 'active') return waitOrBegin(tx, reminder);
  await wakeAt(tx, id, null);
  return over(reminder.status);
}

const over = (stage: ReminderProgress['stage']): ReminderProgress => ({
  stage,
  waitMs: 0,
  left: 0,
});

async function rest(
  tx: Context,
  id: string,
  progress: Omit<ReminderProgress, 'waitMs'>,
  until: Date,
): Promise<ReminderProgress> {
  await wakeAt(tx, id, until);
  return { ...progress, waitMs: Math.max(0, until.getTime() - tx.now.getTime()) + AFTER_MS };
}

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

/** When to check again whether the number can send; behind the limit only after a check right before it. */
export function nextNumberLook(now: Date, limit: Date): Date {
  const last = later(limit, -LAST_CHANCE_MS);
  if (now >= last) return later(limit, 1);
  const look = later(now, NUMBER_LOOK_MS);
  return look < last ? look : last;
}

async function waitOrBegin(tx: Context, reminder: Standing): Promise<Step> {
  const { id, due_day: day } = reminder;
  const rule = sweepOf(reminder);
  if (day === null) {
    const next = nextRun(rule, tx.now);
    if (!next) return end(tx, id);
    await keepPlan(tx, id, await planAfter(tx, reminder, next));
    return 'more';
  }
  // Computed again from the rule, because the zone's rules may have changed since it was planned.
  const due = momentOfDay(rule, day);
  if (reminder.target !== 'birthday' && due.getTime() !== reminder.next_run_at?.getTime())
    await keepPlan(tx, id, { next_run_at: due, due_day: day, wakes_at: due });
  if (due > tx.now) return rest(tx, id, { stage: 'sleeping', left: 0 }, due);
  return dueNow(tx, reminder, { day, at: due });
}

async function dueNow(
  tx: Context,
  reminder: Standing,
  due: { readonly day: string; readonly at: Date },
): Promise<Step> {
  const next = runAfterDay(sweepOf(reminder), due.day);
  // A change in the zone's clocks must not make a run count as late.
  const planned = Math.max(due.at.getTime(), reminder.next_run_at?.getTime() ?? 0);
  const limit = later(reminder.target === 'birthday' ? due.at : new Date(planned), GRACE_MS);
  const number = await numberOf(tx, reminder.number_id);
  const able = number !== null && canSend(number.status);
  if (tx.now > limit) await miss(tx, reminder, due, able ? 'missed' : 'number_unavailable');
  else if (able) await begin(tx, reminder, due);
  else {
    const look = nextNumberLook(tx.now, limit);
    return rest(tx, reminder.id, { stage: 'waiting', left: 0 }, look);
  }
  await keepPlan(tx, reminder.id, {
    ...(await planAfter(tx, reminder, next)),
    // Until the run is over, it must be checked again soon.
    wakes_at: tx.now,
  });
  const run = await openRunOf(tx, reminder.id);
  return run ? goOn(tx, { ...reminder, wakes_at: tx.now }, run) : 'more';
}

/** Nobody has looked at it for an hour after it was due: everything was down, and what is left comes too late. */
const isInterrupted = ({ wakes_at: due }: Locked, run: OpenRun, now: Date): boolean =>
  [due, run.started_at, run.queued_at].every(
    (at) => at === null || now.getTime() - at.getTime() > GRACE_MS,
  );

async function goOn(tx: Context, reminder: Locked, run: OpenRun): Promise<Step> {
  const isCancelled = reminder.status === 'cancelled';
  const isCut = !isCancelled && isInterrupted(reminder, run, tx.now);
  if (isCancelled) await dropPending(tx, reminder.id, run);
  else if (isCut) await missRest(tx, reminder.id, run);
  else if (run.frozen_at === null) {
    const isAll = await freezeNext(tx, reminder.id, run);
    // Whoever deletes or merges people waits for a page of them, and queueing would wait for these.
    if (!isAll || !isToOne(run.content.target)) {
      // Somebody has looked at it: a long list of people is no interruption.
      await wakeAt(tx, reminder.id, tx.now);
      return 'more';
    }
  }
  const open = await hearRun(tx, reminder.id, run);
  const { pending, queued } = open;
  if (pending + queued === 0) {
    await finishRun(tx, reminder.id, run, isCut && run.frozen_at === null);
    return 'more';
  }
  if (pending > 0 && queued <= ROOM / 2) return queueSome(tx, reminder, run, open);
  const since = tx.now.getTime() - (run.queued_at ?? run.started_at).getTime();
  return underWay(tx, reminder.id, pending, since);
}

const underWay = (tx: Context, id: string, left: number, sinceMs: number): Promise<Step> =>
  rest(tx, id, { stage: 'running', left }, later(tx.now, nextLookMs(sinceMs, left)));

async function queueSome(
  tx: Context,
  reminder: Standing,
  run: OpenRun,
  { pending, queued }: { readonly pending: number; readonly queued: number },
): Promise<Step> {
  const limit = ROOM - queued;
  const made = await queueNext(tx, reminder, run, limit);
  if (made === null) {
    const look = later(tx.now, NUMBER_LOOK_MS);
    return rest(tx, reminder.id, { stage: 'waiting', left: pending }, look);
  }
  // There is nothing to wait for with recipients who are passed over.
  return made > 0 && pending <= limit ? underWay(tx, reminder.id, 0, 0) : 'more';
}
