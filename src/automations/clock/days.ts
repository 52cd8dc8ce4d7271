import { Temporal } from 'temporal-polyfill';
import type { Context } from '../../context.ts';
import { type Bind, binding } from '../../db/sql.ts';
import { nextRun, type Occurrence, runAfterDay } from '../../reminders/schedule.ts';
import { momentOf, rulesOf, segmentCondition } from '../../segments/service.ts';
import { asDay } from '../../segments/sources.ts';
import { withinTimeLimit } from '../../segments/time-limit.ts';
import { timeZoneOf } from '../../workspaces/service.ts';
import type { Definition } from '../definition/language.ts';
import { noteDrop } from '../running/dropped-triggers.ts';
import { type Clock, type ClockTrigger, LATEST_MS, PAGE, startFor } from './clocks.ts';

type DayTrigger = ClockTrigger<'schedule' | 'date_field'>;

/**
 * Starts runs for a page of people at a local time of the workspace: those of a segment, or those with a date that
 * many days away. Clock changes, ends of months and lateness are handled as for reminders (design decisions §10).
 */
export async function lookAtDay(
  tx: Context,
  clock: Clock,
  trigger: DayTrigger,
  until: Date,
): Promise<Partial<Clock>> {
  const due = await dueIn(tx, clock, trigger, until);
  if (due === null) return { seenUntil: until };
  const ids = await withinTimeLimit(tx.sql, () =>
    peopleOn(tx, trigger, due.day, reachedOn(clock, due) ?? ''),
  );
  const ref = trigger.type === 'schedule' ? trigger.segment_id : null;
  await startFor(
    tx,
    clock,
    ids.map((contactId) => ({ contactId, conversationId: null, ref: ref ?? contactId })),
  );
  const last = ids.at(-1);
  const seenDay = due.day;
  return ids.length < PAGE || last === undefined
    ? { seenUntil: due.at, seenDay }
    : { lookUntil: due.at, lookAfter: last, seenDay };
}

/**
 * The day's people took too long to find: the next minute continues with the same page, up to an hour late. Then the rest
 * of the day is missed.
 */
export async function putOffDay(
  tx: Context,
  clock: Clock,
  trigger: DayTrigger,
  until: Date,
): Promise<Partial<Clock>> {
  const due = await dueIn(tx, clock, trigger, until);
  if (due === null) return { seenUntil: until };
  const { day: seenDay, at: lookUntil } = due;
  if (until.getTime() - lookUntil.getTime() < LATEST_MS)
    return { seenUntil: until, lookUntil, lookAfter: reachedOn(clock, due), seenDay };
  await noteDrop(tx, clock.automationId, 'missed');
  return { seenUntil: until, seenDay };
}

/** The last of the day's people whom an earlier page reached; null if there was none. */
const reachedOn = ({ seenDay, lookAfter }: Clock, { day }: Occurrence): string | null =>
  day === seenDay ? lookAfter : null;

/** What is due now; anything more than an hour late is counted as missed and skipped. */
async function dueIn(
  tx: Context,
  { automationId, seenUntil, lookUntil, seenDay }: Clock,
  trigger: DayTrigger,
  until: Date,
): Promise<Occurrence | null> {
  if (lookUntil !== null && seenDay !== null) {
    if (until.getTime() - lookUntil.getTime() <= LATEST_MS) return { day: seenDay, at: lookUntil };
    // An outage came between its pages: the rest of the day is missed.
    await noteDrop(tx, automationId, 'missed');
  }
  const when = whenOf(trigger, await timeZoneOf(tx));
  const next = nextDue(when, new Date(seenUntil.getTime() + 1), seenDay);
  const earliest = new Date(until.getTime() - LATEST_MS);
  if (next === null || next.at > until) return null;
  if (next.at >= earliest) return next;
  await noteDrop(tx, automationId, 'missed');
  const late = nextDue(when, earliest, seenDay);
  return late === null || late.at > until ? null : late;
}

/** Whether a trigger has no moment any more: a schedule of once, whose time is over. */
export const hasPassed = async (
  ctx: Pick<Context, 'sql' | 'organizationId' | 'now'>,
  trigger: Definition['trigger'],
): Promise<boolean> =>
  trigger.type === 'schedule' && nextRun(whenOf(trigger, await timeZoneOf(ctx)), ctx.now) === null;

type When = Parameters<typeof nextRun>[0];

/** By day too, because another time zone of the workspace would make a day's time come again. */
function nextDue(when: When, notBefore: Date, seenDay: string | null): Occurrence | null {
  const next = nextRun(when, notBefore);
  return next && seenDay !== null && next.day <= seenDay ? runAfterDay(when, seenDay) : next;
}

const whenOf = (trigger: DayTrigger, timeZone: string): When => {
  const { time } = trigger;
  const zoned = { time, time_zone: timeZone, ends_on: null };
  if (trigger.type === 'date_field')
    return { ...zoned, repeat: 'daily', date: null, weekday: null, month_day: null };
  const { repeat, date, weekday, month_day } = trigger;
  return { ...zoned, repeat, date, weekday, month_day };
};

async function peopleOn(
  tx: Context,
  trigger: DayTrigger,
  day: string,
  after: string,
): Promise<string[]> {
  const { params, bind } = binding(tx.organizationId, after);
  const condition =
    trigger.type === 'schedule'
      ? await inSegment(tx, trigger.segment_id, bind)
      : withDate(trigger, Temporal.PlainDate.from(day), bind);
  if (condition === null) return [];
  const rows = await tx.sql.rows<{ id: string }>(
    `select c.id from contacts c where c.organization_id = $1 and c.id > $2 and not c.blocked and ${condition}
     order by c.id limit ${PAGE}`,
    params,
  );
  return rows.map(({ id }) => id);
}

async function inSegment(tx: Context, id: string, bind: Bind): Promise<string | null> {
  const rules = await rulesOf(tx, id);
  return rules && segmentCondition(rules, bind, await momentOf(tx));
}

/** Dates on 29 February fall on 28 February in common years. */
function withDate(
  { field, offset_days: offset, every_year: everyYear }: ClockTrigger<'date_field'>,
  day: Temporal.PlainDate,
  bind: Bind,
): string {
  const wanted = day.subtract({ days: offset });
  const column =
    field === 'birth_date'
      ? 'c.birth_date'
      : asDay(`(c.custom ->> ${bind(field.slice('custom.'.length))}::text)`);
  if (!everyYear) return `(${column}) = ${bind(wanted.toString())}::date`;
  const dayOfYear = wanted.month * 100 + wanted.day;
  const days = dayOfYear === 228 && !wanted.inLeapYear ? [228, 229] : [dayOfYear];
  const known =
    field === 'birth_date'
      ? 'c.birth_day'
      : `(extract(month from (${column})) * 100 + extract(day from (${column})))::int`;
  return `${known} = any (${bind(days)}::int[])`;
}
