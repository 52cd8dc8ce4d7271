import { type Backoff, nextAttemptAt } from '../rules.ts';
import type { AttemptOutcome } from '../signing/sender.ts';

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
