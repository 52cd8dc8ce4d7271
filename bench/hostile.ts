/** (o) A thousand receivers that drip, flood and explode at the same moment. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../test/support/processes/child.ts';
import type { Kind } from './support/behaviours.ts';
import { meter } from './support/cpu.ts';
import { machineNow } from './support/machine-clock.ts';
import { sentFact } from './support/people.ts';
import { startReceivers } from './support/receivers.ts';
import { type Figure, report } from './support/report.ts';
import { residentMb, sample } from './support/sampler.ts';
import { openWebhookStage, type Target, type WebhookStage } from './support/webhook-stage.ts';

export interface HostileSizes {
  /** An endpoint each. */
  readonly receivers: number;
}

/** Each answers 200 in time, so that an attempt ends once enough of its body has been read. */
const KINDS: readonly Kind[] = ['drips a body for ever', 'a body without end', 'a gzip bomb'];
const AT_ONCE = 8;
/** Connections to the database come and go by themselves. */
const FILES_MORE = 20;
const FILES_LATEST_MS = 60_000;

const openFiles = (pid: number): number => fs.readdirSync(`/proc/${pid}/fd`).length;

/** A few at a time: connections to the database are few. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const one = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Throws when an event is not delivered by its first attempt. */
async function untilDelivered(stage: WebhookStage, events: number): Promise<void> {
  const delivered = async (): Promise<boolean> => {
    const [row] = await stage.rows<{ done: number; others: number }>(
      `select count(*) filter (where status = 'succeeded')::int as done,
        count(*) filter (where attempts > 1 or status not in ('pending', 'succeeded'))::int as others
       from webhook_deliveries`,
    );
    if (row && row.others > 0) throw new Error(`${row.others} attempts failed`);
    return row?.done === events;
  };
  await until('every event is delivered', delivered, { timeoutMs: 120_000, everyMs: 100 });
}

/** Milliseconds until a process has about as many files open as it had; infinite when it never has. */
async function untilClosed(pid: number, before: number): Promise<number> {
  const startedAt = machineNow();
  while (machineNow() - startedAt < FILES_LATEST_MS) {
    if (openFiles(pid) <= before + FILES_MORE) return machineNow() - startedAt;
    await sleep(50);
  }
  return Number.POSITIVE_INFINITY;
}

async function run(stage: WebhookStage, targets: readonly Target[]): Promise<boolean> {
  // The first one bundles the workflows, as the image does when it is built.
  await (await stage.processes.start('worker')).kill('SIGTERM');
  const { pid } = await stage.processes.start('worker');
  await sleep(5_000);
  const [files, memoryBefore] = [openFiles(pid), residentMb(pid)];
  const memory = sample(50, () => residentMb(pid));
  const used = meter([{ name: 'worker', pid }, ...stage.watched]);
  const startedAt = machineNow();
  await each(targets, ({ ctx }) => stage.commit(ctx, [sentFact(ctx.organizationId, 0)]));
  await untilDelivered(stage, targets.length);
  const seconds = (machineNow() - startedAt) / 1_000;
  const { elsewhere } = used();
  const closedMs = await untilClosed(pid, files);
  await memory.stop();
  const figures: Figure[] = [
    {
      what: 'memory of the worker, at most, MB',
      values: [Math.max(...memory.values)],
      atMost: 400,
    },
    { what: 'memory of the worker before, MB', values: [memoryBefore] },
    { what: 'until its files are closed, s', values: [closedMs / 1_000], digits: 1, atMost: 15 },
    {
      what: 'until all were delivered, each by its first attempt, s',
      values: [seconds],
      digits: 1,
    },
  ];
  return report(
    `(o) ${targets.length} receivers at once, a third each of which drip a body, flood and send a gzip bomb`,
    figures,
    [elsewhere],
  );
}

export async function benchHostile({ receivers: count }: HostileSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const receivers = await startReceivers();
  closing.defer(() => receivers.kill());
  const kinds = Array.from({ length: count }, (_, n) => KINDS[n % KINDS.length] ?? 'good');
  const origins = (await receivers.open(kinds)).map(({ origin }) => origin);
  const stage = await openWebhookStage({ trustedOrigins: origins, receiver: receivers });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  const { aTarget } = stage;
  await each(origins, async (origin) => {
    targets.push(await aTarget(`${origin}/hooks`));
  });
  return await run(stage, targets);
}
