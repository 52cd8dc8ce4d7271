import { type Backoff, nextAttemptAt } from '../rules.ts';
import type { AttemptOutcome } from '../signing/sender.ts';
import type { DueAttempt } from './first-attempts/intake.ts';
import type { Result } from './first-attempts/recording.ts';

/** The outcome of a request that was made. */
export type Answer = Exclude<AttemptOutcome, { kind: 'infrastructure' | 'poison' }>;

export interface Judged {
  readonly status: 'succeeded' | 'blocked' | 'retrying' | 'failed';
  /** Null unless it is tried again. */
  readonly nextAttemptAt: Date | null;
  readonly endedAt: Date;
}

interface Before {
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
}

/** The effect of an attempt on its delivery (design decisions §15). */
export function afterAttempt(
  answer: Answer,
  before: Before,
  startedAt: Date,
  backoff: Backoff,
): Judged {
  const endedAt = new Date(startedAt.getTime() + answer.durationMs);
  if (answer.kind === 'delivered') return { status: 'succeeded', nextAttemptAt: null, endedAt };
  if (answer.kind === 'blocked') return { status: 'blocked', nextAttemptAt: null, endedAt };
  const past = {
    made: before.roundAttempts + 1,
    firstStartedAt: before.firstAttemptAt ?? startedAt,
    lastStartedAt: startedAt,
    retryAfterMs: answer.retryAfterMs,
    now: endedAt,
  };
  const next = nextAttemptAt(past, backoff);
  return { status: next ? 'retrying' : 'failed', nextAttemptAt: next, endedAt };
}

/** What the lane records of an attempt; what cannot be sent at all has failed. */
export function resultOf(
  attempt: DueAttempt,
  outcome: Exclude<AttemptOutcome, { kind: 'infrastructure' }>,
  startedAt: Date,
  backoff: Backoff,
): Result {
  const { id, day, organizationId, endpointId, trace } = attempt;
  const about = { id, day, organizationId, endpointId, trace, startedAt };
  if (outcome.kind === 'poison')
    return {
      ...about,
      status: 'failed',
      nextAttemptAt: null,
      code: null,
      durationMs: 0,
      response: null,
      error: 'internal',
    };
  const { code, durationMs, response, error } = outcome;
  const { status, nextAttemptAt } = afterAttempt(outcome, attempt, startedAt, backoff);
  return { ...about, status, nextAttemptAt, code, durationMs, response, error };
}
