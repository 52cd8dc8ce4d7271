import { Temporal } from 'temporal-polyfill';

/** When campaigns are not sent. Local times `HH:MM`; if `to` is before `from`, it means the next morning. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  /** The workspace's, IANA. */
  readonly timeZone: string;
}

interface Span {
  readonly begins: number;
  readonly ends: number;
}

/** When the current quiet hours end; null outside quiet hours (design decisions §6, `waiting_until`). */
export function quietUntil(quiet: QuietHours | null, at: Date): Date | null {
  if (!quiet) return null;
  const now = at.getTime();
  const found = spansAround(quiet, at).find(({ begins, ends }) => begins <= now && now < ends);
  return found ? new Date(found.ends) : null;
}

/** When the next quiet hours after `at` begin. */
export function quietFrom(quiet: QuietHours | null, at: Date): Date | null {
  if (!quiet) return null;
  const next = spansAround(quiet, at).find(({ begins }) => begins > at.getTime());
  return next ? new Date(next.begins) : null;
}

/** The start of the next day in this zone. */
export function nextDay(timeZone: string, at: Date): Date {
  return new Date(zoned(timeZone, at).add({ days: 1 }).startOfDay().epochMilliseconds);
}

/** The day in this zone, `YYYY-MM-DD`. */
export const dayOf = (timeZone: string, at: Date): string =>
  zoned(timeZone, at).toPlainDate().toString();

const zoned = (timeZone: string, at: Date): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/**
 * As moments rather than clock times, so that an hour that occurs twice is quiet throughout: they begin at its first
 * coming and end at its second. A time skipped by a clock change is later by the gap (design decisions §10).
 */
function spansAround(quiet: QuietHours, at: Date): Span[] {
  const today = zoned(quiet.timeZone, at).toPlainDate();
  const moment = (
    date: Temporal.PlainDate,
    time: string,
    disambiguation: 'compatible' | 'later',
  ): number =>
    date.toPlainDateTime(time).toZonedDateTime(quiet.timeZone, { disambiguation })
      .epochMilliseconds;
  return [-1, 0, 1, 2].flatMap((days) => {
    const date = today.add({ days });
    const lastDate = quiet.to < quiet.from ? date.add({ days: 1 }) : date;
    const span = {
      begins: moment(date, quiet.from, 'compatible'),
      ends: moment(lastDate, quiet.to, 'later'),
    };
    return span.begins < span.ends ? [span] : [];
  });
}
