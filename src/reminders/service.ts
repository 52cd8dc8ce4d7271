import { signatureOf } from '../access/actor.ts';
import { type AuditValue, changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, validation } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import { nextBirthday } from './birthdays.ts';
import { type Content, checked } from './checks.ts';
import {
  countActive,
  insertReminder,
  type ReminderRow,
  selectReminder,
  updateReminder,
} from './queries.ts';
import { writtenReminder } from './reading.ts';
import { changed, isoWeekday } from './rules.ts';
import { nextRun } from './schedule.ts';
import {
  type NewReminder,
  newReminderBody,
  type ReminderPatch,
  type ReminderView,
} from './schema.ts';

/** The body of a new reminder that did not come through the API: 422 `validation` with every problem. */
export const newReminderOf = (body: unknown): NewReminder => guard(newReminderBody, body);

/** Throws 409 `quota`, 422 for what does not fit together or has no run to come, 403 `oauth_required`. */
export const createReminder = (ctx: Context, input: NewReminder): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const time_zone = input.time_zone ?? (await timeZoneOf(tx));
    const weekday = isoWeekday(input.weekday);
    const content = await checked(tx, { ...input, time_zone, weekday });
    const next_run_at = await firstRun(tx, content);
    await checkQuota(tx, 'activeReminders', () => countActive(tx));
    const id = newId('rem');
    const row = { ...content, id, next_run_at, created_by: signatureOf(tx.actor) };
    await insertReminder(tx, { ...row, created_at: tx.now, updated_at: tx.now });
    await audit(tx, {
      action: 'reminder.created',
      target: { type: 'reminder', id, name: content.title },
      changes: changesBetween({}, shown(content)),
    });
    return writtenReminder(tx, id);
  });

/**
 * Changes an active reminder; what is left out stays, unless the new target or repeat has no use for it.
 * A change of when counts from now.
 */
export const changeReminder = (
  ctx: Context,
  id: string,
  patch: ReminderPatch,
): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const row = await lockActive(tx, id);
    const before = contentOf(row);
    const after = await checked(tx, changed(before, given(patch)));
    const changes = changesBetween(shown(before), shown(after));
    if (changes.length === 0) return writtenReminder(tx, id);
    const moved = after.target === 'birthday' || changes.some(({ field }) => SAYS_WHEN.has(field));
    const next_run_at = moved ? await firstRun(tx, after) : row.next_run_at;
    await updateReminder(tx, id, { ...after, next_run_at, updated_at: tx.now });
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

/** Fields whose change moves the next run; birthdays are looked up anew by any change. */
const SAYS_WHEN: ReadonlySet<string> = new Set([
  ...['repeat', 'date', 'time', 'weekday', 'month_day', 'time_zone', 'ends_on'],
]);

/** When it runs first from now on; 422 when it never would. A birthday reminder may wait for its people. */
async function firstRun(tx: Context, content: Content): Promise<Date | null> {
  const birthdays = content.target === 'birthday';
  const next = nextRun(birthdays ? { ...content, repeat: 'daily' } : content, tx.now);
  if (!next) throw validation([neverRuns(content)]);
  if (!birthdays) return next.at;
  // A savepoint, because a segment that takes too long ends the statement.
  return transact(tx, (inner) => nextBirthday(inner, content));
}

const neverRuns = ({ repeat }: Content) =>
  repeat === 'once'
    ? { path: 'date', rule: 'past', message: 'This time has passed.' }
    : { path: 'ends_on', rule: 'no_run', message: 'It would end before its first run.' };

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

/** What the patch names, in the form in which it is kept. */
function given(patch: ReminderPatch): Partial<Content> {
  const named = Object.entries(patch).filter(([, value]) => value !== undefined);
  const change: Partial<Content> = Object.fromEntries(named);
  return change.weekday === undefined ? change : { ...change, weekday: isoWeekday(change.weekday) };
}

const shown = (content: Content): Record<string, AuditValue> => ({ ...content });
