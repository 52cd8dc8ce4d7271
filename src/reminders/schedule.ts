import { Temporal } from 'temporal-polyfill';
import type { When } from './rules.ts';

/** One run of a rule: the local day it belongs to, and the moment it is due. */
export interface Occurrence {
  /** `YYYY-MM-DD` in the rule's zone. */
  readonly day: string;
  readonly at: Date;
}

/**
 * The first run not before a moment; null if there is none any more. Computed from the rule alone, never from the
 * last run, so that edits, delays and new zone data cause no drift.
 */
export function nextRun(when: When, notBefore: Date): Occurrence | null {
  const now = Temporal.Instant.fromEpochMilliseconds(notBefore.getTime());
  // A clock change can move an evening run into the next day, so the day before is checked too.
  let from = now.toZonedDateTimeISO(when.time_zone).toPlainDate().subtract({ days: 1 });
  for (;;) {
    const day = dayFrom(when, from);
    if (day === null || isAfter(day, when.ends_on)) return null;
    const at = momentOn(day, when);
    if (at >= notBefore) return { day: day.toString(), at };
    from = day.add({ days: 1 });
  }
}

/** The next run after one that was due at `at`. */
export const runAfter = (when: When, at: Date): Occurrence | null =>
  nextRun(when, new Date(at.getTime() + 1));

/**
 * The next run after that of a local day. By day rather than moment, so that no day is repeated when the zone's rules
 * change.
 */
export function runAfterDay(when: When, day: string): Occurrence | null {
  const next = dayFrom(when, Temporal.PlainDate.from(day).add({ days: 1 }));
  if (next === null || isAfter(next, when.ends_on)) return null;
  return { day: next.toString(), at: momentOn(next, when) };
}

/** The moment of a rule's time on a local day. */
export const momentOfDay = (when: When, day: string): Date =>
  momentOn(Temporal.PlainDate.from(day), when);

const isAfter = (day: Temporal.PlainDate, end: string | null): boolean =>
  end !== null && Temporal.PlainDate.compare(day, end) > 0;

/**
 * A local time skipped by a clock change moves forward by the gap; of one that occurs twice, the first counts (design
 * decisions §10). Temporal calls this `compatible`.
 */
function momentOn(day: Temporal.PlainDate, { time, time_zone }: When): Date {
  const zoned = day
    .toPlainDateTime(Temporal.PlainTime.from(time))
    .toZonedDateTime(time_zone, { disambiguation: 'compatible' });
  return new Date(zoned.epochMilliseconds);
}

/** The rule's first day that is not before `from`. */
function dayFrom(when: When, from: Temporal.PlainDate): Temporal.PlainDate | null {
  switch (when.repeat) {
    case 'once':
      return isAfter(from, when.date) ? null : later(from, when.date);
    case 'daily':
      return later(from, when.date);
    case 'weekdays':
      return from.dayOfWeek <= 5 ? from : from.add({ days: 8 - from.dayOfWeek });
    case 'weekly':
      return from.add({ days: ((when.weekday ?? 1) - from.dayOfWeek + 7) % 7 });
    case 'monthly':
      return inMonthFrom(from, when.month_day ?? 1);
    case 'yearly':
      return anniversaryFrom(from, Temporal.PlainDate.from(when.date ?? from));
  }
}

function later(from: Temporal.PlainDate, date: string | null): Temporal.PlainDate {
  return date !== null && Temporal.PlainDate.compare(date, from) > 0
    ? Temporal.PlainDate.from(date)
    : from;
}

/** In a shorter month the last day is used: rent is due every month. */
function inMonthFrom(from: Temporal.PlainDate, monthDay: number): Temporal.PlainDate {
  const here = from.with({ day: monthDay }, { overflow: 'constrain' });
  if (Temporal.PlainDate.compare(here, from) >= 0) return here;
  return from
    .with({ day: 1 })
    .add({ months: 1 })
    .with({ day: monthDay }, { overflow: 'constrain' });
}

/** 29 February becomes 28 February in common years. The year of `first` is the first. */
function anniversaryFrom(from: Temporal.PlainDate, first: Temporal.PlainDate): Temporal.PlainDate {
  const inYear = (year: number): Temporal.PlainDate => first.with({ year });
  const here = inYear(Math.max(first.year, from.year));
  return Temporal.PlainDate.compare(here, from) >= 0 ? here : inYear(here.year + 1);
}

/** A day of the year regardless of the year: month * 100 + day. */
const dayOfYear = (date: string): number =>
  Number(date.slice(5, 7)) * 100 + Number(date.slice(8, 10));

/** The days of the year whose birthdays are celebrated on a day: in common years 28 February has two. */
export function birthdaysOn(day: string): number[] {
  const { year } = Temporal.PlainDate.from(day);
  return [dayOfYear(day), 229].filter((each) => birthdayIn(year, each) === day);
}

/** The day on which birthdays of a day of the year are celebrated: 29 February on the 28th in common years. */
function birthdayIn(year: number, monthDay: number): string {
  const day = { year, month: Math.floor(monthDay / 100), day: monthDay % 100 };
  return Temporal.PlainDate.from(day, { overflow: 'constrain' }).toString();
}

/**
 * The next run of a birthday reminder: the first day not before a moment on which someone has a birthday.
 *
 * @param birthdayFrom the first day of the year, not before the given one, on which someone was born; null if there
 * is none until its end
 */
export async function nextBirthdayRun(
  when: When,
  notBefore: Date,
  birthdayFrom: (monthDay: number) => Promise<number | null>,
): Promise<Occurrence | null> {
  const first = nextRun({ ...when, repeat: 'daily', date: null }, notBefore);
  if (!first) return null;
  const year = Number(first.day.slice(0, 4));
  const thisYear = await birthdayFrom(dayOfYear(first.day));
  const monthDay = thisYear ?? (await birthdayFrom(0));
  if (monthDay === null) return null;
  const day = birthdayIn(thisYear === null ? year + 1 : year, monthDay);
  return nextRun({ ...when, repeat: 'once', date: day }, notBefore);
}
