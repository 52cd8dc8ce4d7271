import { DAY_MS } from '../durations.ts';

/** How long a key lives (specification, API keys). */
export const LIFETIMES = ['30d', '90d', '1y', 'never'] as const;

/** Days, a calendar year, or for ever. */
export type Lifetime = (typeof LIFETIMES)[number];

export type KeyStatus = 'active' | 'expired' | 'revoked';

const EXPIRING_SOON_MS = 30 * DAY_MS;

/** Null for never. A year ends on the same calendar day, so it may have 366 days. */
export function expiryOf(lifetime: Lifetime, now: Date): Date | null {
  if (lifetime === 'never') return null;
  if (lifetime === '30d') return new Date(now.getTime() + 30 * DAY_MS);
  if (lifetime === '90d') return new Date(now.getTime() + 90 * DAY_MS);
  const year = new Date(now);
  year.setUTCFullYear(now.getUTCFullYear() + 1);
  return year;
}

interface KeyTimes {
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Revoked takes precedence over expired, because someone intended it. */
export function statusOf({ expiresAt, revokedAt }: KeyTimes, now: Date): KeyStatus {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}

/** A valid key in its last 30 days is pointed out, so that it is replaced in time. */
export const expiringSoon = (key: KeyTimes, now: Date): boolean =>
  statusOf(key, now) === 'active' &&
  key.expiresAt !== null &&
  key.expiresAt.getTime() - now.getTime() <= EXPIRING_SOON_MS;

/** How many days before its end a key is warned about, the earliest first. */
const WARNINGS = [30, 7] as const;
export const FIRST_WARNING_DAYS = WARNINGS[0];

interface Warned extends KeyTimes {
  readonly createdAt: Date;
  /** The days of the last warning. */
  readonly warned: number | null;
}

/**
 * The warning that is due now, in days before the end, or null. A missed warning is replaced by the next one, and a
 * key with a lifetime no longer than the warning's days needs none.
 */
export function warningOf(key: Warned, now: Date): number | null {
  if (key.expiresAt === null || statusOf(key, now) !== 'active') return null;
  const leftMs = key.expiresAt.getTime() - now.getTime();
  const livesMs = key.expiresAt.getTime() - key.createdAt.getTime();
  const due = WARNINGS.filter((days) => leftMs <= days * DAY_MS && livesMs > days * DAY_MS).at(-1);
  return due === undefined || (key.warned !== null && key.warned <= due) ? null : due;
}
