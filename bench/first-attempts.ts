/** (b) First webhook attempts, from the commit of a fact to the customer's server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../test/support/processes/child.ts';
import { bareOutbox, SETTLING_SECONDS } from './support/bare-outbox.ts';
import { cpuOf, meter, type Usage, type Watched } from './support/cpu.ts';
import { machineNow } from './support/machine-clock.ts';
import { sentFact } from './support/people.ts';
import { type Receiver, runProgram } from './support/programs.ts';
import { type Figure, report, seen, written } from './support/report.ts';
import { steadily, type Waits, waitsOf } from './support/steady.ts';
import { openReceiverStage, type Target, type WebhookStage } from './support/webhook-stage.ts';

export interface AttemptSizes {
  readonly runs: number;
  readonly events: number;
  readonly endpoints: number;
  /** The run for latencies: events a second, and for how many seconds. */
  readonly pace: number;
  readonly seconds: number;
}

interface Bare {
  readonly perSecond: number;
  readonly cpuSeconds: number;
}

interface Flood {
  readonly perSecond: number;
  readonly usage: Usage;
}

interface Drip extends Waits {
  readonly events: number;
  readonly usage: Usage;
}

export interface AttemptScene {
  readonly stage: WebhookStage;
  readonly targets: readonly Target[];
  readonly receiver: Receiver;
  readonly watched: readonly Watched[];
}

/** Facts of one transaction of the flood: what a campaign settles at once. */
const BATCH = 100;

const SERVICE = ['worker', 'postgres'];

async function untilDelivered({ stage, receiver }: AttemptScene, events: number): Promise<void> {
  const options = { timeoutMs: 120_000, everyMs: 20 };
  await until('every event arrived', async () => (await receiver.count()) >= events, options);
  const open = async (): Promise<boolean> => {
    const [row] = await stage.rows<{ open: boolean }>(
      "select exists (select from webhook_deliveries where status <> 'succeeded') as open",
    );
    return row?.open === true;
  };
  await until('every delivery is written down', async () => !(await open()), options);
}

const perThousand = (usage: Usage, events: number, names: readonly string[] = SERVICE): number =>
  (cpuOf(usage, names) / events) * 1_000;

const lastOf = (arrivals: ReadonlyMap<string, number>): number =>
  [...arrivals.values()].reduce((last, at) => Math.max(last, at), 0);

/** As fast as it goes: all events are committed in batches while the service delivers them. */
export async function flood(scene: AttemptScene, events: number): Promise<Flood> {
  const { stage, targets, receiver } = scene;
  await receiver.forget();
  const batches = targets.flatMap(({ ctx }) => {
    const own = Math.ceil(events / targets.length);
    const facts = Array.from({ length: own }, (_, n) => sentFact(ctx.organizationId, n));
    return Array.from({ length: Math.ceil(own / BATCH) }, (_, at) => ({
      ctx,
      at,
      facts: facts.slice(at * BATCH, (at + 1) * BATCH),
    }));
  });
  const used = meter(scene.watched);
  const startedAt = machineNow();
  // Every workspace in turn, as tenants of one machine write.
  for (const { ctx, facts } of batches.toSorted((a, b) => a.at - b.at))
    await stage.commit(ctx, facts);
  await untilDelivered(scene, events);
  const usage = used();
  const arrivals = await receiver.arrivals();
  if (arrivals.size !== events) throw new Error(`${arrivals.size} of ${events} events arrived`);
  await refuseDoubles(scene, events);
  return { perSecond: events / ((lastOf(arrivals) - startedAt) / 1_000), usage };
}

/** One commit at a time, evenly spaced: what a person who waits for a webhook sees. */
export async function drip(scene: AttemptScene, pace: number, seconds: number): Promise<Drip> {
  const { stage, targets, receiver } = scene;
  await receiver.forget();
  const events = pace * seconds;
  const used = meter(scene.watched);
  const sent = await steadily(stage, targets, pace, (n) => n < events);
  await untilDelivered(scene, events);
  const usage = used();
  const arrivals = await receiver.arrivals();
  await refuseDoubles(scene, events);
  return { ...waitsOf(sent, (id) => arrivals.get(id)), events, usage };
}

export async function tidy(stage: WebhookStage): Promise<void> {
  await stage.rows('vacuum analyze');
  await stage.rows('checkpoint');
  await sleep(5_000);
}

async function refuseDoubles({ receiver }: AttemptScene, events: number): Promise<void> {
  const requests = await receiver.count();
  if (requests !== events) throw new Error(`${requests} requests for ${events} events`);
}

function figures(
  floods: readonly Flood[],
  drips: readonly Drip[],
  idles: readonly Usage[],
  bare: readonly Bare[],
  bareDrip: number,
  events: number,
): Figure[] {
  const cpu = (names: readonly string[]) =>
    floods.map(({ usage }) => perThousand(usage, events, names));
  const bareCpu = bare.map((loop) => (loop.cpuSeconds / events) * 1_000);
  return [
    {
      what: 'first attempts/s, sustained',
      values: floods.map((run) => run.perSecond),
      atLeast: 3_000,
      bare: bare.map((loop) => loop.perSecond),
      quoted: 1_260,
    },
    {
      what: 'CPU s per 1,000: worker and postgres',
      digits: 3,
      values: cpu(SERVICE),
      atMost: 0.4,
      bare: bareCpu,
      quoted: 1.28,
    },
    ...['worker', 'postgres', 'temporal', 'receiver', 'driver'].map((name) => ({
      what: `CPU s per 1,000: ${name}`,
      digits: 3,
      values: cpu([name]),
    })),
    {
      what: 'commit to receiver, p50, ms',
      digits: 1,
      values: drips.map((run) => run.p50),
      atMost: 15,
      quoted: 26,
    },
    {
      what: 'commit to receiver, p99, ms',
      digits: 1,
      values: drips.map((run) => run.p99),
      atMost: 50,
      quoted: 55,
    },
    {
      what: 'CPU s per 1,000 at that pace: worker and postgres',
      digits: 2,
      values: drips.map(({ usage, events: own }) => perThousand(usage, own)),
      atMost: 2,
      bare: [bareDrip],
      quoted: 4.6,
    },
    ...SERVICE.map((name) => ({
      what: `CPU s per 1,000 at that pace: ${name}`,
      digits: 2,
      values: drips.map(({ usage, events: own }) => perThousand(usage, own, [name])),
    })),
    {
      what: 'CPU s of as long a time without events: worker and postgres',
      digits: 2,
      values: idles.map((usage) => cpuOf(usage, SERVICE)),
    },
  ];
}

/** CPU seconds for 1,000 events at the even pace, before any worker runs. */
async function bareDrips(
  stage: WebhookStage,
  receiver: Receiver,
  targets: readonly Target[],
  { pace, seconds }: AttemptSizes,
): Promise<number> {
  const postgres = stage.watched.find(({ name }) => name === 'postgres');
  if (!postgres) throw new TypeError('PostgreSQL is not watched');
  const parts = { databaseUrl: stage.bareUrl, postgres, receiver, targets };
  return (await bareOutbox(parts, pace, seconds)) / ((pace * seconds) / 1_000);
}

/** Throws when an event is lost or doubled. */
export async function benchAttempts(sizes: AttemptSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { receiver, stage, targets, grow } = await openReceiverStage(closing);
  await grow(sizes.endpoints);
  const bareDrip = await bareDrips(stage, receiver, targets, sizes);
  const worker = await stage.processes.start('worker');
  const watched = [{ name: 'worker', pid: worker.pid }, ...stage.watched];
  const scene: AttemptScene = { stage, targets, receiver, watched };
  const floods: Flood[] = [];
  const drips: Drip[] = [];
  const idles: Usage[] = [];
  const bare: Bare[] = [];
  await flood(scene, Math.min(2_000, sizes.events));
  for (let run = 0; run < sizes.runs; run++) {
    const flooded = await flood(scene, sizes.events);
    floods.push(flooded);
    bare.push(
      await runProgram<Bare>('bare/signed-posts.ts', {
        BARE_TARGET: receiver.origin,
        BARE_COUNT: String(sizes.events),
      }),
    );
    // What the flood leaves for autovacuum and for the worker's memory is no part of an even pace.
    await tidy(stage);
    await drip(scene, sizes.pace, Math.min(SETTLING_SECONDS, sizes.seconds));
    const dripped = await drip(scene, sizes.pace, sizes.seconds);
    drips.push(dripped);
    seen([
      `run ${run + 1} of ${sizes.runs}`,
      `${written(flooded.perSecond, 0)} first attempts/s`,
      `${written(perThousand(dripped.usage, dripped.events), 2)} CPU s per 1,000 at ${sizes.pace}/s`,
    ]);
    const used = meter(watched);
    await sleep(sizes.seconds * 1_000);
    idles.push(used());
  }
  return report(
    `(b) ${sizes.events} events to ${sizes.endpoints} endpoints of as many workspaces, then ${sizes.pace} ` +
      `events/s for ${sizes.seconds} s; ${sizes.runs} runs; bare: undici signs and posts the same bodies; ` +
      'at that pace the least program with an outbox; quoted: Hookdeck Outpost on such a machine, quoted in the issue, not run here',
    figures(floods, drips, idles, bare, bareDrip, sizes.events),
    [...floods, ...drips].map((run) => run.usage.elsewhere),
  );
}
