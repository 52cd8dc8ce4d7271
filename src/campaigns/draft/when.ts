import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from '../../durations.ts';
import type { FieldProblem } from '../../errors.ts';

const SOONEST_MS = 5 * 60_000;
const LATEST_MS = 365 * DAY_MS;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/;

export interface WhenReading {
  readonly timeZone: string;
  readonly now: Date;
}

/**
 * The moment that a campaign's `when` stands for (design decisions §4): ISO 8601 with an offset, or a local time in
 * the workspace's zone. A local time skipped by a clock change moves forward by the gap; of one that occurs twice,
 * the first counts.
 */
export function readWhen(text: string, { timeZone, now }: WhenReading): Date | FieldProblem {
  const moment = momentOf(text, timeZone);
  if (!moment) {
    return {
      path: 'when',
      rule: 'date_time',
      message: 'Use a date and time such as 2027-11-26T09:00:00-03:00 or 2027-11-26T09:00.',
    };
  }
  return isInRange(moment, now) ? moment : outOfRange;
}

/** Whether a campaign may be scheduled for it. */
export function isInRange(moment: Date, now: Date): boolean {
  const aheadMs = moment.getTime() - now.getTime();
  return aheadMs >= SOONEST_MS && aheadMs <= LATEST_MS;
}

export const outOfRange: FieldProblem = {
  path: 'when',
  rule: 'when_range',
  message: 'Must be from 5 minutes to 365 days ahead.',
};

function momentOf(text: string, timeZone: string): Date | null {
  try {
    if (WITH_OFFSET.test(text)) return new Date(Temporal.Instant.from(text).epochMilliseconds);
    if (!LOCAL.test(text)) return null;
    const zoned = Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone);
    return new Date(zoned.epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
