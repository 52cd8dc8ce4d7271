import { DAY_MS, HOUR_MS } from '../durations.ts';

export const ENDPOINT_STATUSES = ['active', 'paused'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** A delivery's states (specification, Webhook delivery; design decisions §15). */
export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'succeeded',
  'failed',
  'blocked',
  'held',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const MAX_ATTEMPTS = 12;
/** Retries with their own workflow, per endpoint; further ones wait as rows. */
export const MAX_OPEN_RETRIES = 200;
/** After this many failures in a row, an endpoint's deliveries go through its backlog. */
export const FAILING_AFTER = 5;

/** How many workflows an endpoint keeps while it fails without any success in between. */
export const KEPT_WHILE_FAILING = 1;
/** Retries of such an endpoint that wait for their time in the lane of attempts; further ones wait in its backlog. */
export const WAITING_IN_LANE = 200;

/** How long before its time the backlog moves a retry into the lane, which starts it when it is due. */
export const RELEASED_AHEAD_MS = 20_000;
/** `RELEASED_AHEAD_MS` while the lane is full of retries that are due later. */
export const RELEASED_SOON_MS = 1_000;
/** How long before the earliest retry the backlog is checked. */
export const LOOK_AHEAD_MS = 1_000;

/** After this many failures in a row an endpoint counts as down. */
const DOWN_AFTER = 20;

/** How an endpoint's backlog is released into the lane of attempts. */
export interface DrainPace {
  /** The most of it that may be in the lane at once. */
  readonly inLane: number;
  /** The most deliveries without an attempt in this round that are released at one check. */
  readonly fresh: number;
  /** How soon more of those follow. */
  readonly everyMs: number;
  /** How soon a due retry may follow; with the check itself, within a second of its time. */
  readonly retryEveryMs: number;
}

/**
 * A failing endpoint gets only a few new deliveries at a time, as probes. Those already begun keep their times, so
 * that each has its 12 attempts as far as the endpoint's capacity allows.
 */
export function drainPace(failuresInRow: number): DrainPace {
  if (failuresInRow >= DOWN_AFTER)
    return { inLane: 200, fresh: 20, everyMs: 5_000, retryEveryMs: 750 };
  if (failuresInRow >= FAILING_AFTER)
    return { inLane: 200, fresh: 16, everyMs: 1_000, retryEveryMs: 500 };
  return { inLane: 250, fresh: 250, everyMs: 200, retryEveryMs: 200 };
}

/**
 * How long a lane this full need not be checked, because a slow endpoint has enough in it. At most a fifth of it goes
 * in 200 ms, and a fiftieth in a second, so it does not run dry meanwhile.
 */
export function fullLaneMs(room: number, inLane: number): number {
  if (room * 50 < inLane) return 5_000;
  return room * 5 < inLane ? 1_000 : 0;
}

const FIRST_STEP_MS = 30_000;
export const WINDOW_MS = DAY_MS;
const MAX_RETRY_AFTER_MS = HOUR_MS;
/** An attempt begins within a second of its time. */
const BEGINS_WITHIN_MS = 1_000;
const MAX_JITTER = 0.1;

/** The spacing of retries. Tests shorten it and turn the jitter off. */
export interface Backoff {
  /** 1 in production. */
  readonly scale: number;
  /** From 0 to 1: the share of the greatest jitter, drawn for each attempt. */
  readonly jitter: () => number;
}

export interface PastAttempts {
  /** Attempts made in this round, including the last one: 1 to 12. */
  readonly made: number;
  readonly firstStartedAt: Date;
  readonly lastStartedAt: Date;
  /** What the receiver's `Retry-After` asks for, counted from `now`. */
  readonly retryAfterMs: number | null;
  readonly now: Date;
}

/**
 * When the next attempt is due, or null if there is none: 30 s after the first one began, then doubling, 12 attempts
 * within 24 hours (specification, Receiving rules). Jitter and `Retry-After` only ever lengthen an interval; the
 * latter by up to an hour, and not beyond the 24 hours.
 */
export function nextAttemptAt(past: PastAttempts, backoff: Backoff): Date | null {
  if (past.made >= MAX_ATTEMPTS) return null;
  const step = FIRST_STEP_MS * 2 ** (past.made - 1) * backoff.scale;
  const scheduled = past.lastStartedAt.getTime() + step * (1 + MAX_JITTER * backoff.jitter());
  const end = past.firstStartedAt.getTime() + WINDOW_MS;
  if (scheduled > end) return null;
  const asked = past.now.getTime() + Math.min(past.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const isTooLate = asked + BEGINS_WITHIN_MS > end;
  return new Date(isTooLate ? scheduled : Math.max(scheduled, asked));
}

/** After an outage of ours the 24 hours may be over; then no late attempt is made. */
export const isExpired = (firstStartedAt: Date | null, now: Date): boolean =>
  firstStartedAt !== null && now.getTime() - firstStartedAt.getTime() > WINDOW_MS;

/** No more attempts; a person may still resend it. */
export const isFinished = (status: DeliveryStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'blocked';
