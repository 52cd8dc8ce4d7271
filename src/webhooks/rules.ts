/** A delivery's states (specification, Webhook delivery; design decisions §15). */
export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed' | 'blocked' | 'held';

export const MAX_ATTEMPTS = 12;
/** Retries that have a workflow of their own, for one endpoint; the others wait as rows. */
export const MAX_OPEN_RETRIES = 200;
/** After so many failures in a row an endpoint's deliveries go through its backlog. */
export const FAILING_AFTER = 5;

/** Workflows that an endpoint keeps whose failures no success has come between. */
export const KEPT_WHILE_FAILING = 1;
/** Retries of such an endpoint that wait for their time in the lane of attempts; more wait in its backlog. */
export const WAITING_IN_LANE = 200;

/** So long before its time the backlog puts a retry into the lane, which begins it when it is due. */
export const RELEASED_AHEAD_MS = 20_000;
/** So long where the lane is full of retries that come later. */
export const RELEASED_SOON_MS = 1_000;
/** The look at the backlog comes so long before the earliest retry in it. */
export const LOOK_AHEAD_MS = 1_000;

/** After so many failures in a row an endpoint counts as down. */
const DOWN_AFTER = 20;

/** How an endpoint's backlog comes to the lane of attempts. */
export interface DrainPace {
  /** The most of it that may be in the lane. */
  readonly inLane: number;
  /** The most that is released at one look of what no attempt was made of in this round. */
  readonly fresh: number;
  /** How soon more of those follow. */
  readonly everyMs: number;
  /** How soon a retry that is due may follow: with the look itself within a second of its time. */
  readonly retryEveryMs: number;
}

/**
 * One that fails gets few new deliveries at a time, as probes; those that were begun keep their times, so
 * that each has its 12 attempts as far as the endpoint's silence leaves room for them.
 */
export function drainPace(failuresInRow: number): DrainPace {
  if (failuresInRow >= DOWN_AFTER)
    return { inLane: 200, fresh: 20, everyMs: 5_000, retryEveryMs: 750 };
  if (failuresInRow >= FAILING_AFTER)
    return { inLane: 200, fresh: 16, everyMs: 1_000, retryEveryMs: 500 };
  return { inLane: 250, fresh: 250, everyMs: 200, retryEveryMs: 200 };
}

/**
 * How long a lane that is as full as this at a look need not be looked at: an endpoint that takes little has
 * enough in it. One fifth goes in 200 ms, a fiftieth in a second, at most; then neither runs dry meanwhile.
 */
export function fullLaneMs(room: number, inLane: number): number {
  if (room * 50 < inLane) return 5_000;
  return room * 5 < inLane ? 1_000 : 0;
}

const FIRST_STEP_MS = 30_000;
const WINDOW_MS = 24 * 3_600_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const MAX_JITTER = 0.1;

/** How retries are spaced. Tests shorten them and switch the jitter off. */
export interface Backoff {
  /** 1 in production. */
  readonly scale: number;
  /** From 0 to 1: the share of the greatest jitter, drawn anew for each attempt. */
  readonly jitter: () => number;
}

export interface PastAttempts {
  /** Attempts made in this round, the last one included: 1 to 12. */
  readonly made: number;
  readonly firstStartedAt: Date;
  readonly lastStartedAt: Date;
  /** What the receiver's `Retry-After` asks for, from `now` on. */
  readonly retryAfterMs: number | null;
  readonly now: Date;
}

/**
 * When the next attempt is due, or null when there is none: 30 s after the first one began, then
 * doubling, 12 attempts within 24 hours (specification, Receiving rules). Jitter and `Retry-After`
 * only ever make a step longer; the latter up to an hour, and not out of the 24 hours.
 */
export function nextAttemptAt(past: PastAttempts, backoff: Backoff): Date | null {
  if (past.made >= MAX_ATTEMPTS) return null;
  const step = FIRST_STEP_MS * 2 ** (past.made - 1) * backoff.scale;
  const scheduled = past.lastStartedAt.getTime() + step * (1 + MAX_JITTER * backoff.jitter());
  const end = past.firstStartedAt.getTime() + WINDOW_MS;
  if (scheduled > end) return null;
  const asked = past.now.getTime() + Math.min(past.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return new Date(asked > end ? scheduled : Math.max(scheduled, asked));
}

/** After an outage of ours the window may have passed: then no late attempt is made. */
export const isExpired = (firstStartedAt: Date | null, now: Date): boolean =>
  firstStartedAt !== null && now.getTime() - firstStartedAt.getTime() > WINDOW_MS;

/** Nothing is tried any more; a person may still send it again. */
export const isFinished = (status: DeliveryStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'blocked';
