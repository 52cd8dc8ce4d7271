/** (v) First webhook attempts, by how many endpoints there are, each of a workspace of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttemptScene, drip, flood, tidy } from '../first-attempts.ts';
import { cpuOf, meter } from '../support/cpu.ts';
import { printTable, printTitle, seen, written } from '../support/report.ts';
import { openReceiverStage } from '../support/webhook-stage.ts';

export interface EndpointGrowthSizes {
  /** How many there are, one time after the other; the smallest first. */
  readonly endpoints: readonly number[];
  readonly events: number;
  /** Events a second of the even pace, and for how many seconds. */
  readonly pace: number;
  readonly seconds: number;
}

const SERVICE = ['worker', 'postgres'];

async function measured(
  scene: AttemptScene,
  { events, pace, seconds }: EndpointGrowthSizes,
): Promise<string[]> {
  const { stage, targets, watched } = scene;
  const flooded = await flood(scene, events);
  await tidy(stage);
  const even = await drip(scene, pace, seconds);
  const used = meter(watched);
  await sleep(seconds * 1_000);
  const idle = cpuOf(used(), SERVICE);
  return [
    written(targets.length, 0),
    written(flooded.perSecond, 0),
    written((cpuOf(flooded.usage, SERVICE) / events) * 1_000, 3),
    written((cpuOf(even.usage, SERVICE) / even.events) * 1_000, 2),
    `${written(even.p50, 1)}; ${written(even.p99, 1)}`,
    written((idle / seconds) * 60, 2),
  ];
}

/** Throws when an event is lost or doubled. */
export async function benchEndpointGrowth(sizes: EndpointGrowthSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { receiver, stage, targets, grow } = await openReceiverStage(closing);
  const worker = await stage.processes.start('worker');
  const watched = [{ name: 'worker', pid: worker.pid }, ...stage.watched];
  const scene: AttemptScene = { stage, targets, receiver, watched };
  const rows: string[][] = [];
  for (const count of sizes.endpoints) {
    await grow(count);
    await flood(scene, Math.max(count, 1_000));
    rows.push(seen(await measured(scene, sizes)));
  }
  printTitle(
    `(v) ${sizes.events} events, then ${sizes.pace}/s for ${sizes.seconds} s; CPU s of worker and PostgreSQL`,
    [],
  );
  printTable([
    [
      'endpoints',
      'events/s',
      'CPU s per 1,000',
      'at the even pace',
      'p50; p99, ms',
      'idle, CPU s a minute',
    ],
    ...rows,
  ]);
  return true;
}
