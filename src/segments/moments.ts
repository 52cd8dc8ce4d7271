import { Temporal } from 'temporal-polyfill';
import type { Actor } from '../access/actor.ts';

/** The moment at which rules are evaluated, and the zone in which days begin. */
export interface Moment {
  readonly now: Date;
  /** IANA. */
  readonly timeZone: string;
  /** Who is answered: what they do not see is not asked about. Without one, everything counts. */
  readonly seenBy?: Actor;
}

const DURATION =
  /^P(?!$)(?:\d{1,3}Y)?(?:\d{1,4}M)?(?:\d{1,4}W)?(?:\d{1,5}D)?(?:T(?!$)(?:\d{1,6}H)?(?:\d{1,7}M)?(?:\d{1,8}S)?)?$/;
const LONGEST_DAYS = 36_525;
const YEAR_DAYS = 366;
/** The length of a duration depends on its start; a leap year gives the longest. */
const RELATIVE_TO = '2024-01-01';

const inDays = (duration: Temporal.Duration): number =>
  duration.total({ unit: 'days', relativeTo: RELATIVE_TO });

/** Parses an ISO 8601 duration such as `P7D`, longer than zero and at most 100 years; null if it is none. */
function readDuration(text: string): Temporal.Duration | null {
  if (!DURATION.test(text)) return null;
  const duration = Temporal.Duration.from(text);
  return duration.sign === 1 && inDays(duration) <= LONGEST_DAYS ? duration : null;
}

/** ISO 8601, longer than zero and at most 100 years. */
export const isDuration = (text: string): boolean => readDuration(text) !== null;

/** Whole days, at most a year: the only spans that make sense for a search by day and month. */
export function isSpanOfDays(text: string): boolean {
  const duration = readDuration(text);
  return duration !== null && !text.includes('T') && inDays(duration) <= YEAR_DAYS;
}

const DAY = /^(?:19|20|21)\d{2}-\d{2}-\d{2}$/;
const TIME =
  /^(?:19|20|21)\d{2}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

const parses = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** `YYYY-MM-DD`, 1900 to 2199. */
export const isDay = (text: string): boolean =>
  DAY.test(text) && parses(() => Temporal.PlainDate.from(text));

/** A date and time with an offset or Z. */
export const isTime = (text: string): boolean =>
  TIME.test(text) && parses(() => Temporal.Instant.from(text));

/** A comparison that the value must pass, with the operator as SQL writes it. */
export type Bound<T> = readonly ['<' | '<=' | '>' | '>=', T];

const zoned = ({ now, timeZone }: Moment): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);

const toDate = (at: { readonly epochMilliseconds: number }): Date => new Date(at.epochMilliseconds);

function startOf(day: Temporal.PlainDate, { timeZone }: Moment): Date {
  return toDate(day.toZonedDateTime({ timeZone }));
}

/** The start of a day, or the given time. */
const from = (text: string, moment: Moment): Bound<Date> => [
  '>=',
  isDay(text)
    ? startOf(Temporal.PlainDate.from(text), moment)
    : toDate(Temporal.Instant.from(text)),
];

/** The end of a day, or the given time. */
const upTo = (text: string, moment: Moment): Bound<Date> =>
  isDay(text)
    ? ['<', startOf(Temporal.PlainDate.from(text).add({ days: 1 }), moment)]
    : ['<=', toDate(Temporal.Instant.from(text))];

const negated = ([comparison, at]: Bound<Date>): Bound<Date> => {
  const opposite = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;
  return [opposite[comparison], at];
};

export type TimeOp = 'before' | 'after' | 'between' | 'in_last' | 'in_next';

/**
 * The bounds for a time; a bare day in `value` means that whole day in the workspace's zone. What was done in the last
 * days has no upper bound: rules are also asked as of a past moment, and what was done since is no older.
 */
export function timeBounds(op: TimeOp, value: unknown, moment: Moment): Bound<Date>[] {
  switch (op) {
    case 'before':
      return [negated(from(value as string, moment))];
    case 'after':
      return [negated(upTo(value as string, moment))];
    case 'between': {
      const [first, last] = value as [string, string];
      return [from(first, moment), upTo(last, moment)];
    }
    case 'in_last':
      return [['>=', toDate(zoned(moment).subtract(value as string))]];
    case 'in_next':
      return [
        ['>=', moment.now],
        ['<=', toDate(zoned(moment).add(value as string))],
      ];
  }
}

/** The bounds for a day without a time; days are `YYYY-MM-DD`. */
export function dayBounds(op: TimeOp, value: unknown, moment: Moment): Bound<string>[] {
  const today = (): string => zoned(moment).toPlainDate().toString();
  switch (op) {
    case 'before':
      return [['<', value as string]];
    case 'after':
      return [['>', value as string]];
    case 'between': {
      const [first, last] = value as [string, string];
      return [
        ['>=', first],
        ['<=', last],
      ];
    }
    case 'in_last':
      return [
        [
          '>=',
          zoned(moment)
            .subtract(value as string)
            .toPlainDate()
            .toString(),
        ],
        ['<=', today()],
      ];
    case 'in_next':
      return [
        ['>=', today()],
        [
          '<=',
          zoned(moment)
            .add(value as string)
            .toPlainDate()
            .toString(),
        ],
      ];
  }
}

/** Days of the year as month * 100 + day; `from` is greater than `to` if the range spans the new year. */
export interface DaysOfYear {
  readonly from: number;
  readonly to: number;
  /** Whether the range ends on the day on which people born on 29 February are celebrated. */
  readonly leapDay: boolean;
}

/** The days from today to the end of `duration`, both included; null for the whole year. */
export function comingDays(duration: string, moment: Moment): DaysOfYear | null {
  const today = zoned(moment).toPlainDate();
  const end = today.add(duration);
  if (Temporal.PlainDate.compare(end, today.add({ years: 1 }).subtract({ days: 1 })) >= 0) {
    return null;
  }
  const dayOfYear = ({ month, day }: Temporal.PlainDate): number => month * 100 + day;
  const to = dayOfYear(end);
  return { from: dayOfYear(today), to, leapDay: to === 228 && !end.inLeapYear };
}
