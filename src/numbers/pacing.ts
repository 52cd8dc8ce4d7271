import { THROUGHPUTS } from './rules.ts';

const SLOWED_SHARE = 0.5;
const RECOVERY_STEP = 0.05;
const RECOVERY_EVERY_MS = 10_000;

/** The share of its ceiling that a throttled number gets: half until `slowedUntil`, then 5 % more every 10 s. */
export function recovery(slowedUntil: Date | null, now: Date): number {
  if (!slowedUntil) return 1;
  const sinceMs = now.getTime() - slowedUntil.getTime();
  if (sinceMs < 0) return SLOWED_SHARE;
  return Math.min(1, SLOWED_SHARE + RECOVERY_STEP * Math.floor(sinceMs / RECOVERY_EVERY_MS));
}

/**
 * Messages per minute that the number may send now, or null for no limit. One without a ceiling is held to the standard
 * throughput after it was throttled.
 */
export function ceilingNow(
  ceilingPerMinute: number | null,
  slowedUntil: Date | null,
  now: Date,
): number | null {
  const share = recovery(slowedUntil, now);
  if (ceilingPerMinute === null && share === 1) return null;
  return (ceilingPerMinute ?? THROUGHPUTS.standard) * share;
}

export interface Lane {
  readonly perMinute: number;
  /** When its next slot is free, in milliseconds since 1970 (GCRA: the theoretical arrival time). */
  readonly nextAt: number;
  /** Whether the lane makes up for short pauses by going slightly faster. */
  readonly catchesUp?: boolean;
}

export interface Lease {
  readonly count: number;
  /** The first slot; the others follow at `intervalMs`. */
  readonly startAt: number;
  readonly intervalMs: number;
  /** When it was leased. */
  readonly now: number;
}

/** How far ahead slots are leased: enough to keep the sending window full, little enough to pause quickly. */
export const LEASE_AHEAD_MS = 250;

/** At most this much of a pause is made up for: 3 % more in any ten seconds. */
const CATCH_UP_MS = 300;
/** A lane that was idle for longer starts afresh. */
const RESTED_MS = 10_000;
/** While catching up. A fifth of a number's ceiling is reserved for replies, so this still stays below the ceiling. */
const CATCH_UP_INTERVAL = 0.9;

const costOf = ({ perMinute }: Lane): number => 60_000 / perMinute;

/** Milliseconds that the lane is behind and may make up for. */
function lagOf({ catchesUp, nextAt }: Lane, now: number): number {
  const lateMs = now - nextAt;
  return catchesUp && lateMs > 0 && lateMs <= RESTED_MS ? Math.min(lateMs, CATCH_UP_MS) : 0;
}

/**
 * As many evenly spaced slots as all lanes allow within the next 250 ms, at most `want`. They are closer together
 * while a lane catches up, so that the time lost at the end of a batch or by a worker's death is made up for.
 */
export function lease(lanes: readonly Lane[], want: number, now: number): Lease {
  const startAt = Math.max(now, ...lanes.map((lane) => lane.nextAt));
  const evenMs = Math.max(...lanes.map(costOf));
  const fitting = Math.floor((now + LEASE_AHEAD_MS - startAt) / evenMs) + 1;
  const count = Math.max(0, Math.min(want, fitting));
  const intervalMs = Math.max(
    ...lanes.map((lane) => {
      const even = costOf(lane);
      return Math.max(even * CATCH_UP_INTERVAL, even - lagOf(lane, now) / Math.max(1, count));
    }),
  );
  return { count, startAt, intervalMs, now };
}

/**
 * Where a lane stands after `used` slots of the lease were taken. The narrowest lane advances slot by slot; a wider
 * one only by what these messages cost it, so that others take their turns in between.
 */
export function afterLease(lane: Lane, { startAt, intervalMs, now }: Lease, used: number): number {
  if (used === 0) return lane.nextAt;
  const ownMs = costOf(lane);
  const lagMs = lagOf(lane, now);
  if (lagMs > 0) return now - lagMs + used * ownMs;
  const from = ownMs < intervalMs ? Math.max(lane.nextAt, now) : startAt;
  return from + used * ownMs;
}
