import type { When } from '../../reminders/rules.ts';
import { runAfter } from '../../reminders/schedule.ts';

interface LocalTime {
  /** `HH:MM`. */
  readonly time: string;
  /** 1 is Monday; empty means every day. */
  readonly weekdays: readonly number[];
  /** IANA. */
  readonly timeZone: string;
}

const WEEKDAYS = 7;

/** 1 is Monday, 7 is Sunday. */
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || WEEKDAYS;

/**
 * The next such time after `now`. Clock changes are handled as in reminders: a skipped time comes later by the
 * gap, and of one that occurs twice the first counts (design decisions §10).
 */
export function nextLocalTime({ time, weekdays, timeZone }: LocalTime, now: Date): Date {
  const daily: When = {
    repeat: 'daily',
    date: null,
    time,
    time_zone: timeZone,
    weekday: null,
    month_day: null,
    ends_on: null,
  };
  let next = runAfter(daily, now);
  while (next && weekdays.length > 0 && !weekdays.includes(weekdayOf(next.day)))
    next = runAfter(daily, next.at);
  // A daily rule without an end always has a next run.
  return next?.at ?? now;
}
