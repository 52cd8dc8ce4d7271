import { Temporal } from 'temporal-polyfill';
import { type DayHours, inHours } from './rules.ts';

/** The schedule repeats weekly, so nothing new comes beyond this. */
const DAYS_AHEAD = 8;

/**
 * Whether a number with these hours is attended at this moment.
 *
 * @param timeZone the workspace's, IANA
 */
export function attendedAt(
  hours: readonly DayHours[] | null,
  now: Date,
  timeZone: string,
): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
  return inHours(hours, { weekday: local.dayOfWeek, time });
}

/**
 * When a number with these hours next opens or closes; null if it never does.
 *
 * @param timeZone the workspace's, IANA
 */
export function attendedUntil(
  hours: readonly DayHours[] | null,
  now: Date,
  timeZone: string,
): Date | null {
  if (hours === null) return null;
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const clocks = local.getTimeZoneTransition('next')?.epochMilliseconds;
  const times = [...new Set(['00:00', ...hours.flatMap(({ from, to }) => [from, to])])];
  const days = Array.from({ length: DAYS_AHEAD }, (_, n) => local.toPlainDate().add({ days: n }));
  const moments = days.flatMap((day) =>
    times.flatMap((time) => momentsOf(day.toPlainDateTime(time), timeZone)),
  );
  const is = attendedAt(hours, now, timeZone);
  const change = [...moments, ...(clocks === undefined ? [] : [clocks])]
    .toSorted((a, b) => a - b)
    .find((ms) => ms > now.getTime() && attendedAt(hours, new Date(ms), timeZone) !== is);
  return change === undefined ? null : new Date(change);
}

/** When the clocks go back, a local time can stand for two moments. */
const momentsOf = (time: Temporal.PlainDateTime, timeZone: string): number[] =>
  (['earlier', 'later'] as const).map(
    (disambiguation) => time.toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds,
  );
