import { Temporal } from 'temporal-polyfill';
import { type FieldProblem, validation } from '../errors.ts';

/** One day of a report in the workspace's zone; the last day of "today" may be incomplete. */
export interface ReportDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  readonly whole: boolean;
}

export interface Range {
  readonly from: string;
  readonly to: string;
  readonly days: readonly ReportDay[];
}

export interface Period extends Range {
  /** Of the same length, ending the day before. */
  readonly previous: Range;
}

/** The period and the one before it as one range: they are read together and separated by their days. */
export const withPrevious = ({ to, days, previous }: Period): Range => ({
  from: previous.from,
  to,
  days: [...previous.days, ...days],
});

export const PERIODS = ['today', '7d', '30d', '90d', 'custom'] as const;
const LENGTHS = { today: 1, '7d': 7, '30d': 30, '90d': 90 } as const;
const LONGEST_DAYS = 366;

export interface PeriodQuery {
  readonly period: (typeof PERIODS)[number];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The days that a report covers (design decisions §20): whole days in the zone, both ends included. "Today" is
 * compared with yesterday up to the same time of day.
 */
export function periodOf(query: PeriodQuery, timeZone: string, now: Date): Period {
  if (query.period !== 'custom') refuseDates(query);
  const today = localDay(now, timeZone);
  const [from, to] = query.period === 'custom' ? custom(query, today) : last(query.period, today);
  const days = from.until(to, { largestUnit: 'days' }).days + 1;
  const previousTo = from.subtract({ days: 1 });
  const previousFrom = from.subtract({ days });
  const previous = range(previousFrom, previousTo, timeZone);
  return {
    ...range(from, to, timeZone),
    previous:
      query.period === 'today' ? upToSameTime(previous, previousTo, timeZone, now) : previous,
  };
}

/** Whoever forgot the period custom would read the figures of other days. */
function refuseDates(query: PeriodQuery): void {
  const message = 'Dates are for the period custom.';
  const given = (['from', 'to'] as const).filter((path) => query[path] !== undefined);
  if (given.length > 0)
    throw validation(given.map((path) => ({ path, rule: 'not_applicable', message })));
}

const last = (
  period: keyof typeof LENGTHS,
  today: Temporal.PlainDate,
): [Temporal.PlainDate, Temporal.PlainDate] => [
  today.subtract({ days: LENGTHS[period] - 1 }),
  today,
];

function custom(
  { from, to }: PeriodQuery,
  today: Temporal.PlainDate,
): [Temporal.PlainDate, Temporal.PlainDate] {
  if (from === undefined || to === undefined)
    throw validation(
      [from === undefined ? 'from' : [], to === undefined ? 'to' : []].flat().map((path) => ({
        path,
        rule: 'required',
        message: 'The period custom needs both dates.',
      })),
    );
  const first = Temporal.PlainDate.from(from);
  const final = Temporal.PlainDate.from(to);
  const problem = problemOf(first, final, today);
  if (problem) throw validation([problem]);
  return [first, final];
}

function problemOf(
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  today: Temporal.PlainDate,
): FieldProblem | null {
  if (Temporal.PlainDate.compare(from, to) > 0)
    return { path: 'to', rule: 'range', message: 'Must not be before from.' };
  if (Temporal.PlainDate.compare(to, today) > 0)
    return { path: 'to', rule: 'range', message: 'Must not be in the future.' };
  if (from.until(to, { largestUnit: 'days' }).days + 1 > LONGEST_DAYS)
    return {
      path: 'from',
      rule: 'range',
      limit: LONGEST_DAYS,
      message: `Must leave at most ${LONGEST_DAYS} days, both ends included.`,
    };
  return null;
}

function range(from: Temporal.PlainDate, to: Temporal.PlainDate, timeZone: string): Range {
  const days: ReportDay[] = [];
  for (let day = from; Temporal.PlainDate.compare(day, to) <= 0; day = day.add({ days: 1 }))
    days.push(dayOf(day, timeZone));
  return { from: from.toString(), to: to.toString(), days };
}

function dayOf(day: Temporal.PlainDate, timeZone: string): ReportDay {
  return {
    day: day.toString(),
    start: startOf(day, timeZone),
    end: startOf(day.add({ days: 1 }), timeZone),
    whole: true,
  };
}

const startOf = (day: Temporal.PlainDate, timeZone: string): Date =>
  new Date(day.toZonedDateTime(timeZone).epochMilliseconds);

const localDay = (now: Date, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();

/** Cut off at the same local time, even if one of the days is longer. */
function upToSameTime(
  yesterday: Range,
  day: Temporal.PlainDate,
  timeZone: string,
  now: Date,
): Range {
  const clock = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainTime();
  const end = new Date(day.toZonedDateTime({ timeZone, plainTime: clock }).epochMilliseconds);
  return { ...yesterday, days: yesterday.days.map((one) => ({ ...one, end, whole: false })) };
}

/** The days from that of `first` to yesterday, oldest first: those whose figures can be stored. */
export function daysBefore(now: Date, first: Date, timeZone: string): readonly ReportDay[] {
  const from = localDay(first, timeZone);
  const to = localDay(now, timeZone).subtract({ days: 1 });
  return Temporal.PlainDate.compare(from, to) > 0 ? [] : range(from, to, timeZone).days;
}
