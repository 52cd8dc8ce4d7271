import type { NumberHalt } from '../gateway/port.ts';
import { canSend, type NumberStatus, type Provider } from './rules.ts';

/** What may happen to a number (design decisions §8). */
export type NumberCause =
  | 'code_ready'
  | 'registered'
  | 'stalled'
  | 'refused'
  | 'paired'
  | 'codes_exhausted'
  | 'quality_red'
  | 'throttled'
  | 'heartbeat_late'
  | 'error_rate'
  | 'healthy'
  | 'socket_closed'
  | 'logged_out'
  | 'token_revoked'
  | 'reconnected'
  | 'held'
  | 'released'
  | 'pair_again'
  | 'restricted'
  | 'restriction_lifted'
  | 'cannot_continue'
  | 'retried';

/** What a number shows as the reason of its state, where the cause does not say it. */
const SHOWN: Partial<Record<NumberCause, string>> = {
  stalled: 'provisioning_timeout',
  codes_exhausted: 'pairing_expired',
};
export const reasonOf = (cause: NumberCause): string => SHOWN[cause] ?? cause;

type Moves = Partial<Record<NumberStatus, NumberStatus>>;

const gone: Moves = { connected: 'disconnected', degraded: 'disconnected' };
const unwell: Moves = { connected: 'degraded' };
const fromAny = (to: NumberStatus): Moves => ({
  provisioning: to,
  awaiting_pairing: to,
  connected: to,
  degraded: to,
  disconnected: to,
  suspended: to,
  error: to,
});

/** The table of design decisions §8, row by row, by cause. */
const MOVES: Readonly<Record<NumberCause, Moves>> = {
  code_ready: { provisioning: 'awaiting_pairing' },
  registered: { provisioning: 'connected' },
  stalled: { provisioning: 'error' },
  refused: { provisioning: 'error' },
  paired: { awaiting_pairing: 'connected' },
  codes_exhausted: { awaiting_pairing: 'disconnected' },
  quality_red: unwell,
  throttled: unwell,
  heartbeat_late: unwell,
  error_rate: unwell,
  healthy: { degraded: 'connected' },
  socket_closed: gone,
  logged_out: gone,
  token_revoked: gone,
  reconnected: { disconnected: 'connected' },
  held: gone,
  released: { disconnected: 'connected' },
  pair_again: { disconnected: 'awaiting_pairing' },
  restricted: fromAny('suspended'),
  restriction_lifted: { suspended: 'connected' },
  cannot_continue: fromAny('error'),
  retried: { error: 'provisioning' },
};

/** What is behind each way in which WhatsApp stops a number. */
export const HALTING: Readonly<Record<NumberHalt, NumberCause>> = {
  disconnected: 'token_revoked',
  suspended: 'restricted',
  error: 'cannot_continue',
};

/** The status that a cause leads to, or null if it changes nothing. */
export function nextStatus(status: NumberStatus, cause: NumberCause): NumberStatus | null {
  const next = MOVES[cause][status] ?? null;
  return next === status ? null : next;
}

/** Whether a cause always takes a number out of sending, which stops its campaigns. */
export const stopsSending = (cause: NumberCause): boolean => {
  const next = nextStatus('connected', cause);
  return next !== null && !canSend(next);
};

/**
 * Where a person's "connect" takes a number that is down: a paired one to pairing, any other back into use. Null for
 * one that is sending, or already being paired.
 */
export function afterConnecting(status: NumberStatus, provider: Provider): NumberStatus | null {
  if (status === 'suspended') return nextStatus(status, 'restriction_lifted');
  if (provider === 'paired')
    return nextStatus(status, 'pair_again') ?? nextStatus(status, 'retried');
  const provisioned = nextStatus(status, 'retried') ?? status;
  return nextStatus(provisioned, 'registered') ?? nextStatus(status, 'reconnected');
}

/** What the sweep knows about a number. */
export interface Observed {
  readonly provider: Provider;
  readonly status: NumberStatus;
  readonly statusChangedAt: Date;
  readonly quality: string | null;
  /** When it was last seen to have a problem. */
  readonly unhealthyAt: Date | null;
  readonly heartbeatAt: Date | null;
  readonly closedAt: Date | null;
  /** Since when WhatsApp has been asking for fewer messages, and until when that counts. */
  readonly slowedSince: Date | null;
  readonly slowedUntil: Date | null;
  /** Until when WhatsApp restricts it, where that is what suspended it and an end is known. */
  readonly restrictedUntil: Date | null;
  /** Settled messages among its latest, within ten minutes. */
  readonly settled: number;
  /** Those of them that failed because of the number rather than the recipient. */
  readonly failed: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PROVISIONING_MS = 10 * MINUTE;
/** The first code is valid for about 60 seconds, the five after it for 20 each. */
const CODES_MS = 160 * SECOND;
const THROTTLED_MS = 5 * MINUTE;
const LATE_MS = 2 * MINUTE;
const HEALTHY_MS = 10 * MINUTE;
const ERROR_RATE = 0.1;
/** Fewer messages do not say enough about a number. */
const FEWEST_SETTLED = 20;

/** The result of checking a number: a cause to move it, that it is still `unwell`, or nothing. */
export type Finding = NumberCause | 'unwell' | null;

/** The first cause that applies at `now`, or null. Has no effects. */
export function findingOf(seen: Observed, now: Date): Finding {
  const since: Since = (at) => (at === null ? -1 : now.getTime() - at.getTime());
  const { status, statusChangedAt } = seen;
  if (!canSend(status)) return outOfUse(seen, since);
  if (since(seen.closedAt) >= LATE_MS) return 'socket_closed';
  const problem = problemOf(seen, since);
  if (status === 'connected') return problem;
  if (problem) return 'unwell';
  const last = Math.min(since(statusChangedAt), since(seen.unhealthyAt ?? statusChangedAt));
  return last >= HEALTHY_MS ? 'healthy' : null;
}

type Since = (at: Date | null) => number;

function outOfUse(
  { status, statusChangedAt, restrictedUntil }: Observed,
  since: Since,
): NumberCause | null {
  const unchanged = since(statusChangedAt);
  if (status === 'provisioning') return unchanged >= PROVISIONING_MS ? 'stalled' : null;
  if (status === 'awaiting_pairing') return unchanged >= CODES_MS ? 'codes_exhausted' : null;
  if (status !== 'suspended') return null;
  const over = since(restrictedUntil);
  // An end from before it was suspended is of an earlier restriction.
  return over >= 0 && over < unchanged ? 'restriction_lifted' : null;
}

function problemOf(seen: Observed, since: Since): NumberCause | null {
  if (seen.quality === 'red') return 'quality_red';
  if (since(seen.slowedUntil) < 0 && since(seen.slowedSince) >= THROTTLED_MS) return 'throttled';
  if (seen.provider === 'paired') {
    const heard = seen.heartbeatAt ?? seen.statusChangedAt;
    if (since(heard) >= LATE_MS) return 'heartbeat_late';
  }
  const { settled, failed } = seen;
  return settled >= FEWEST_SETTLED && failed / settled >= ERROR_RATE ? 'error_rate' : null;
}
