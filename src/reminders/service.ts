import { signatureOf } from '../access/actor.ts';
import { type AuditValue, type Change, changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError, type FieldProblem, invalidState, notFound, validation } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { recordCommand } from '../outbox/record.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import { type Content, checked } from './checks.ts';
import {
  countActive,
  insertReminder,
  type ReminderRow,
  selectReminder,
  showNextRun,
  updateReminder,
} from './queries.ts';
import { writtenReminder } from './reading.ts';
import { changed, isoWeekday, sweepOf } from './rules.ts';
import {
  asleepUntil,
  firstLook,
  keepPlan,
  type Plan,
  planOf,
  shownBirthday,
} from './running/plan.ts';
import { lastDayOf, lockReminder, openRunOf, wakeAt } from './running/state.ts';
import { momentOfDay, nextRun, type Occurrence, runAfterDay } from './schedule.ts';
import {
  type NewReminder,
  newReminderBody,
  type ReminderPatch,
  type ReminderView,
} from './schema.ts';

/** Validates a new reminder that did not come through the API: 422 `validation` with every problem. */
export const newReminderOf = (body: unknown): NewReminder => guard(newReminderBody, body);

/** Throws 409 `quota`, 422 for contradictory fields or a rule without a run to come, 403 `oauth_required`. */
export const createReminder = (ctx: Context, input: NewReminder): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const time_zone = input.time_zone ?? (await timeZoneOf(tx));
    const weekday = isoWeekday(input.weekday);
    const content = await checked(tx, { ...input, time_zone, weekday });
    const plan = await firstPlan(tx, content, tx.now);
    await checkQuota(tx, 'activeReminders', () => countActive(tx));
    const id = newId('rem');
    const cause_run_id = tx.actor.type === 'automation' ? tx.actor.run?.id : null;
    const row = { ...content, id, created_by: signatureOf(tx.actor), cause_run_id };
    await insertReminder(tx, { ...row, created_at: tx.now, updated_at: tx.now });
    const look = firstLook(id, plan);
    await keepPlan(tx, id, plan, look);
    const nextAt = plan.wakes_at?.toISOString();
    const asleep = look ? { dueAt: asleepUntil(look, tx.now).toISOString(), nextAt } : {};
    await recordCommand(tx, 'reminder.changed', { reminderId: id, ...asleep });
    await audit(tx, {
      action: 'reminder.created',
      target: { type: 'reminder', id, name: content.title },
      changes: changesBetween({}, shown(content)),
    });
    return writtenReminder(tx, id);
  });

/**
 * Changes an active reminder; 409 `invalid_state` once its only run has begun. Fields that are left out stay, unless the
 * new target or repetition has no use for them. A change of the time rule counts from now, and leaves a due run that
 * could not begin yet if the new rule has it too.
 */
export const changeReminder = (
  ctx: Context,
  id: string,
  patch: ReminderPatch,
): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const row = await lockActive(tx, id);
    const before = contentOf(row);
    const after = await checked(tx, changed(before, given(patch)), before);
    const changes = changesBetween(shown(before), shown(after));
    if (changes.length === 0) return writtenReminder(tx, id);
    if (before.repeat === 'once') await refuseBegun(tx, id);
    const moved = changes.some(({ field }) => SAYS_WHEN.has(field));
    await updateReminder(tx, id, { ...after, updated_at: tx.now });
    if (moved) {
      const from = await fromWhen(tx, id, before, after);
      const ranOn = await lastDayOf(tx, id);
      await keepPlan(tx, id, await firstPlan(tx, after, from, { changes, ranOn }));
      // A run in progress goes on now, and not at the new time.
      if (await openRunOf(tx, id)) await wakeAt(tx, id, tx.now);
    } else if (after.target === 'birthday')
      await showNextRun(tx, id, await shownBirthday(tx, after));
    await recordCommand(tx, 'reminder.changed', { reminderId: id });
    await audit(tx, {
      action: 'reminder.updated',
      target: { type: 'reminder', id, name: after.title },
      changes,
    });
    return writtenReminder(tx, id);
  });

/** The reminder, locked; 409 `invalid_state` unless it is active. */
export async function lockActive(tx: Context, id: string): Promise<ReminderRow> {
  const row = await selectReminder(tx, id, true);
  if (!row) throw notFound('reminder');
  if (row.status !== 'active') throw invalidState(row.status, ['active']);
  return row;
}

/** What runs once is as good as done when its run has begun: a new time would make it run twice. */
async function refuseBegun(tx: Context, id: string): Promise<void> {
  if ((await lockReminder(tx, id))?.due_day) return;
  const message = 'Its run has begun, so a change comes too late; it can still be cancelled.';
  throw new AppError('invalid_state', message, { status: 'running', allowed: ['active'] });
}

/** Fields whose change moves the next run; the next birthday is computed again after any change. */
const SAYS_WHEN: ReadonlySet<string> = new Set([
  ...['repeat', 'date', 'time', 'weekday', 'month_day', 'time_zone', 'ends_on'],
]);

/** From when a changed rule counts: from now, or from a run that is due, has not begun, and is in both rules. */
async function fromWhen(tx: Context, id: string, before: Content, after: Content): Promise<Date> {
  const day = (await lockReminder(tx, id))?.due_day ?? null;
  const due = day && momentOfDay(sweepOf(before), day);
  if (!due || due > tx.now) return tx.now;
  return nextRun(sweepOf(after), due)?.at.getTime() === due.getTime() ? due : tx.now;
}

interface Patched {
  /** The error names a field of one of these. */
  readonly changes: readonly Change[];
  /** The last day that had its run; null if there is none. */
  readonly ranOn: string | null;
}

/** The first run not before then; 422 if there never would be one. A birthday reminder may wait for its people. */
async function firstPlan(
  tx: Context,
  content: Content,
  from: Date,
  { changes, ranOn }: Patched = { changes: [], ranOn: null },
): Promise<Plan> {
  const next = firstRun(content, from, ranOn);
  if (!next) throw validation([neverRuns(content, from, changes)]);
  return planOf(tx, content, next);
}

/** A day that had its run gets no second one at a later hour. Birthdays come once a year to each in any case. */
function firstRun(content: Content, from: Date, ranOn: string | null): Occurrence | null {
  const when = sweepOf(content);
  const next = nextRun(when, from);
  const mayRunAgain = content.repeat === 'once' || content.target === 'birthday';
  return next === null || mayRunAgain || ranOn === null || next.day > ranOn
    ? next
    : runAfterDay(when, ranOn);
}

function neverRuns(content: Content, from: Date, changes: readonly Change[]): FieldProblem {
  if (content.repeat !== 'once')
    return { path: 'ends_on', rule: 'no_run', message: 'It would end before its next run.' };
  const named = ['date', 'time', 'time_zone'].find((name) =>
    changes.some(({ field }) => field === name),
  );
  const isToday = nextRun({ ...content, time: '23:59' }, from) !== null;
  const path = named ?? (isToday ? 'time' : 'date');
  return { path, rule: 'past', message: 'This time has passed.' };
}

const contentOf = (row: ReminderRow): Content => ({
  title: row.title,
  text: row.text,
  target: row.target,
  contact_id: row.contact_id,
  group_id: row.group_id,
  segment_id: row.segment_id,
  phone: row.phone,
  number_id: row.number_id,
  repeat: row.repeat,
  date: row.date,
  time: row.time,
  weekday: row.weekday,
  month_day: row.month_day,
  time_zone: row.time_zone,
  ends_on: row.ends_on,
  transactional: row.transactional,
});

/** The fields that the patch names, in the form in which they are stored. */
function given(patch: ReminderPatch): Partial<Content> {
  const named = Object.entries(patch).filter(([, value]) => value !== undefined);
  const change: Partial<Content> = Object.fromEntries(named);
  return change.weekday === undefined ? change : { ...change, weekday: isoWeekday(change.weekday) };
}

const shown = (content: Content): Record<string, AuditValue> => ({ ...content });
