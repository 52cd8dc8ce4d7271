import { Temporal } from 'temporal-polyfill';
import { type DayHours, inHours } from './rules.ts';

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
