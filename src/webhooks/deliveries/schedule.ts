import { type DeliveryStatus, isExpired, nextAttemptAt } from '../rules.ts';

export interface Underway {
  /** The status as shown. */
  readonly status: DeliveryStatus;
  /** Attempts made since the last resend. */
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

/**
 * When the remaining attempts are due if each fails at once, without jitter. Empty for finished deliveries, and for
 * held ones, whose clock stands still.
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
