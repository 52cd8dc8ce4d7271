import { type DeliveryStatus, isExpired, nextAttemptAt } from '../rules.ts';

export interface Underway {
  /** As it is shown. */
  readonly status: DeliveryStatus;
  /** Attempts of this round. */
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

/**
 * When the attempts still to come are due if every one fails at once, without jitter. Empty for what is
 * finished, and for what is held, whose clock stands still.
 */
export function attemptsToCome(delivery: Underway, now: Date): Date[] {
  if (delivery.status !== 'pending' && delivery.status !== 'retrying') return [];
  const wished = delivery.nextAttemptAt ?? now;
  let due: Date | null = wished > now ? wished : now;
  const firstStartedAt = delivery.firstAttemptAt ?? due;
  if (isExpired(firstStartedAt, due)) return [];
  const times: Date[] = [];
  for (let made = delivery.roundAttempts + 1; due; made += 1) {
    times.push(due);
    const past = { made, firstStartedAt, lastStartedAt: due, retryAfterMs: null, now: due };
    due = nextAttemptAt(past, { scale: 1, jitter: () => 0 });
  }
  return times;
}
