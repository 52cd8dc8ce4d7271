import { setTimeout as sleep } from 'node:timers/promises';
import { machineNow } from './machine-clock.ts';
import { sentFact } from './people.ts';
import { percentile } from './report.ts';
import type { Target, WebhookStage } from './webhook-stage.ts';

/** When each event's commit was answered, by the machine's clock, and whose it is. */
export interface Sent {
  readonly at: number;
  readonly target: Target;
}

/**
 * One commit for each event, evenly spaced, to each target in turn, as long as `mayGoOn`. What is late is
 * committed at once: the pace does not depend on the service's.
 *
 * @param pace events a second, all targets together
 */
export async function steadily(
  stage: Pick<WebhookStage, 'commit'>,
  targets: readonly Target[],
  pace: number,
  mayGoOn: (committed: number) => boolean,
): Promise<Map<string, Sent>> {
  const sent = new Map<string, Sent>();
  const writes: Promise<void>[] = [];
  const startedAt = machineNow();
  for (let n = 0; mayGoOn(n); n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / pace - machineNow()));
    const target = targets[n % targets.length];
    if (!target) break;
    const fact = sentFact(target.ctx.organizationId, n);
    writes.push(
      stage.commit(target.ctx, [fact]).then(() => {
        sent.set(fact.id, { at: machineNow(), target });
      }),
    );
  }
  await Promise.all(writes);
  return sent;
}

export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds from the commit's answer to the receiver's first byte. An event that never came waits for ever. */
export function waitsOf(
  sent: ReadonlyMap<string, Sent>,
  arrivedAt: (eventId: string) => number | undefined,
): Waits {
  const waits = [...sent].map(([id, { at }]) => (arrivedAt(id) ?? Number.POSITIVE_INFINITY) - at);
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) };
}
