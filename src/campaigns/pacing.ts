import type { Provider } from '../numbers/rules.ts';

/** Messages per minute: careful, steady, fast, maximum (design decisions §5). */
export const PACES = [10, 60, 600, 4800] as const;

/** Paces that a number of this provider bears; paired numbers are phones, and phones get banned. */
export function pacesOf(provider: Provider, maxOfPlan: number): number[] {
  const most = provider === 'paired' ? 60 : Number.POSITIVE_INFINITY;
  return PACES.filter((pace) => pace <= most && pace <= maxOfPlan);
}

/** The rest of a number's ceiling is for replies: Meta counts both together. */
const SHARE_OF_CEILING = 0.8;

/** Meta's standard throughput: what a number without a ceiling is held to after it was throttled. */
const STANDARD_CEILING = 4_800;

/**
 * Messages per minute that a campaign gets in the end: its pace, 80 % of the number's ceiling, and a fair
 * share of that among the campaigns sending on the number. Null when nothing paces it.
 */
export function effectivePace(
  pace: number | null,
  ceilingPerMinute: number | null,
  others: number,
): number | null {
  const share =
    ceilingPerMinute === null
      ? null
      : Math.max(1, Math.floor((ceilingPerMinute * SHARE_OF_CEILING) / (others + 1)));
  if (pace === null || share === null) return pace ?? share;
  return Math.min(pace, share);
}

const SLOWED_SHARE = 0.5;
const RECOVERY_STEP = 0.05;
const RECOVERY_EVERY_MS = 10_000;

/** How much of its ceiling a throttled number gets: half until `slowedUntil`, then 5 % more each 10 s. */
export function recovery(slowedUntil: Date | null, now: Date): number {
  if (!slowedUntil) return 1;
  const sinceMs = now.getTime() - slowedUntil.getTime();
  if (sinceMs < 0) return SLOWED_SHARE;
  return Math.min(1, SLOWED_SHARE + RECOVERY_STEP * Math.floor(sinceMs / RECOVERY_EVERY_MS));
}

/** Messages per minute for all campaigns of a number, or null for no limit. */
export function campaignCeiling(
  ceilingPerMinute: number | null,
  slowedUntil: Date | null,
  now: Date,
): number | null {
  const share = recovery(slowedUntil, now);
  if (ceilingPerMinute === null && share === 1) return null;
  return (ceilingPerMinute ?? STANDARD_CEILING) * SHARE_OF_CEILING * share;
}

export interface Lane {
  readonly perMinute: number;
  /** When its next slot is free (GCRA: the theoretical arrival time). Milliseconds since 1970. */
  readonly nextAt: number;
}

export interface Lease {
  readonly count: number;
  /** The first slot; the others follow at `intervalMs`. */
  readonly startAt: number;
  readonly intervalMs: number;
}

/** Slots are leased this far ahead: enough to keep a window full, little enough to pause soon. */
export const LEASE_AHEAD_MS = 250;

/** As many evenly spaced slots as all lanes have within the next 250 ms, at most `want`. */
export function lease(lanes: readonly Lane[], want: number, now: number): Lease {
  const startAt = Math.max(now, ...lanes.map((lane) => lane.nextAt));
  const intervalMs = Math.max(...lanes.map((lane) => 60_000 / lane.perMinute));
  const fitting = Math.floor((now + LEASE_AHEAD_MS - startAt) / intervalMs) + 1;
  return { count: Math.max(0, Math.min(want, fitting)), startAt, intervalMs };
}

/** Where a lane stands after `used` slots of the lease were taken. */
export function afterLease(lane: Lane, { startAt, intervalMs }: Lease, used: number): number {
  return used === 0 ? lane.nextAt : startAt + (used - 1) * intervalMs + 60_000 / lane.perMinute;
}
