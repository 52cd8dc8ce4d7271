import { Temporal } from 'temporal-polyfill';

/** When nobody gets a campaign. Local times `HH:MM`; `to` before `from` is the next morning. */
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

/** When the quiet hours that are now are over; null outside of them (design decisions §6, `waiting_until`). */
export function quietUntil(quiet: QuietHours | null, at: Date): Date | null {
  if (!quiet) return null;
  const now = at.getTime();
  const found = spansAround(quiet, at).find(({ begins, ends }) => begins <= now && now < ends);
  return found ? new Date(found.ends) : null;
}

/** When the next quiet hours begin, after `at`. */
export function quietFrom(quiet: QuietHours | null, at: Date): Date | null {
  if (!quiet) return null;
  const next = spansAround(quiet, at).find(({ begins }) => begins > at.getTime());
  return next ? new Date(next.begins) : null;
}

/** The beginning of the next day in this zone. */
export function nextDay(timeZone: string, at: Date): Date {
  return new Date(zoned(timeZone, at).add({ days: 1 }).startOfDay().epochMilliseconds);
}

/** The day in this zone, `YYYY-MM-DD`. */
export const dayOf = (timeZone: string, at: Date): string =>
  zoned(timeZone, at).toPlainDate().toString();

const zoned = (timeZone: string, at: Date): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/**
 * As moments, not as times of a clock, so that an hour that comes twice is quiet throughout. One that a
 * clock change leaves out begins or ends later by the gap (design decisions §10).
 */
function spansAround(quiet: QuietHours, at: Date): Span[] {
  const today = zoned(quiet.timeZone, at).toPlainDate();
  const moment = (date: Temporal.PlainDate, time: string): number =>
    date.toZonedDateTime({ timeZone: quiet.timeZone, plainTime: time }).epochMilliseconds;
  return [-1, 0, 1, 2].flatMap((days) => {
    const date = today.add({ days });
    const lastDate = quiet.to < quiet.from ? date.add({ days: 1 }) : date;
    const span = { begins: moment(date, quiet.from), ends: moment(lastDate, quiet.to) };
    return span.begins < span.ends ? [span] : [];
  });
}
