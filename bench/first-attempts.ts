/** (b) First webhook attempts, from the commit of a fact to the customer's server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../src/context.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { asSystem, type Database, inWorkspace, openDatabase } from '../src/db/database.ts';
import { type Fact, insertFacts } from '../src/outbox/record.ts';
import { createWaker } from '../src/relay/waker.ts';
import { createEndpoint } from '../src/webhooks/service.ts';
import { until } from '../test/support/house/child.ts';
import { openHouse } from '../test/support/house/house.ts';
import { openCluster } from './support/cluster.ts';
import { meter, type Usage, type Watched } from './support/cpu.ts';
import { sentFact } from './support/people.ts';
import { type Receiver, runProgram, startReceiver } from './support/programs.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { aWorkspace } from './support/workspaces.ts';

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

interface Drip {
  readonly p50: number;
  readonly p99: number;
  readonly usage: Usage;
}

interface Stage {
  readonly database: Database;
  readonly workspaces: readonly Context[];
  readonly receiver: Receiver;
  readonly watched: readonly Watched[];
  readonly wake: () => void;
}

/** Facts of one transaction of the flood: what a campaign settles at once. */
const BATCH = 100;

const commit = ({ database }: Stage, ctx: Context, facts: readonly Fact[]): Promise<void> =>
  inWorkspace(database, ctx.organizationId, (sql) => insertFacts(sql, ctx.organizationId, facts));

async function untilDelivered({ database, receiver }: Stage, events: number): Promise<void> {
  const options = { timeoutMs: 120_000, everyMs: 20 };
  await until('every event arrived', async () => (await receiver.count()) >= events, options);
  const open = async (): Promise<boolean> => {
    const [row] = await asSystem(database, (sql) =>
      sql.rows<{ open: boolean }>(
        "select exists (select from webhook_deliveries where status <> 'succeeded') as open",
      ),
    );
    return row?.open === true;
  };
  await until('every delivery is written down', async () => !(await open()), options);
}

const lastOf = (arrivals: ReadonlyMap<string, number>): number =>
  [...arrivals.values()].reduce((last, at) => Math.max(last, at), 0);

const now = (): number => performance.timeOrigin + performance.now();

/** As fast as it goes: all events are committed in batches while the service delivers them. */
async function flood(stage: Stage, events: number): Promise<Flood> {
  await stage.receiver.forget();
  const { workspaces } = stage;
  const batches = workspaces.flatMap((ctx) => {
    const own = Math.ceil(events / workspaces.length);
    const facts = Array.from({ length: own }, (_, n) => sentFact(ctx.organizationId, n));
    return Array.from({ length: Math.ceil(own / BATCH) }, (_, at) => ({
      ctx,
      at,
      facts: facts.slice(at * BATCH, (at + 1) * BATCH),
    }));
  });
  const used = meter(stage.watched);
  const startedAt = now();
  // Every workspace in turn, as tenants of one machine write.
  for (const { ctx, facts } of batches.toSorted((a, b) => a.at - b.at)) {
    await commit(stage, ctx, facts);
    stage.wake();
  }
  await untilDelivered(stage, events);
  const usage = used();
  const arrivals = await stage.receiver.arrivals();
  if (arrivals.size !== events) throw new Error(`${arrivals.size} of ${events} events arrived`);
  return { perSecond: events / ((lastOf(arrivals) - startedAt) / 1_000), usage };
}

/** One commit at a time, evenly spaced: what a person who waits for a webhook sees. */
async function drip(stage: Stage, pace: number, seconds: number): Promise<Drip> {
  await stage.receiver.forget();
  const count = pace * seconds;
  const committed = new Map<string, number>();
  const used = meter(stage.watched);
  const startedAt = now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / pace - now()));
    const ctx = stage.workspaces[n % stage.workspaces.length] as Context;
    const fact = sentFact(ctx.organizationId, n);
    const write = commit(stage, ctx, [fact]).then(() => {
      committed.set(fact.id, now());
      stage.wake();
    });
    writes.push(write);
  }
  await Promise.all(writes);
  await untilDelivered(stage, count);
  const usage = used();
  const arrivals = await stage.receiver.arrivals();
  const waits = [...committed].map(
    ([id, at]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at,
  );
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), usage };
}

function figures(
  floods: readonly Flood[],
  drips: readonly Drip[],
  bare: readonly Bare[],
  events: number,
): Figure[] {
  const cpu = (names: readonly string[]) =>
    floods.map(({ usage }) => {
      const seconds = names.reduce((sum, name) => sum + (usage.seconds[name] ?? 0), 0);
      return (seconds / events) * 1_000;
    });
  const bareCpu = bare.map((loop) => (loop.cpuSeconds / events) * 1_000);
  return [
    {
      what: 'first attempts/s, sustained',
      values: floods.map((run) => run.perSecond),
      atLeast: 2_000,
      bare: bare.map((loop) => loop.perSecond),
    },
    {
      what: 'CPU s per 1,000: worker and postgres',
      digits: 3,
      values: cpu(['worker', 'postgres']),
      atMost: 0.6,
      bare: bareCpu,
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
      atMost: 20,
    },
    {
      what: 'commit to receiver, p99, ms',
      digits: 1,
      values: drips.map((run) => run.p99),
      atMost: 80,
    },
  ];
}

/** Throws when an event is lost. */
export async function benchAttempts(sizes: AttemptSizes): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await openCluster({ temporal: true });
    closing.push(() => cluster.close());
    const receiver = await startReceiver();
    closing.push(() => receiver.kill());
    const house = await openHouse({
      databaseUrl: cluster.databaseUrl,
      temporalAddress: cluster.temporal?.address ?? '',
      trustedOrigins: [receiver.origin],
    });
    closing.push(() => house.close());
    const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 4 });
    closing.push(() => database.close());
    const waker = createWaker({ url: cluster.databaseUrl });
    closing.push(() => waker.close());

    const keyring = createKeyring(house.encryptionKeys);
    const workspaces: Context[] = [];
    for (let n = 0; n < sizes.endpoints; n++) {
      const ctx = await aWorkspace(database);
      const url = `${receiver.origin}/hooks/${n}`;
      const endpoint = { name: `Endpoint ${n}`, url, events: ['message.sent' as const] };
      await createEndpoint(ctx, endpoint, { keyring, trustedOrigins: [receiver.origin] });
      workspaces.push(ctx);
    }
    const worker = await house.start('worker');
    const stage: Stage = {
      database,
      workspaces,
      receiver,
      wake: () => waker.wake(),
      watched: [
        { name: 'worker', pid: worker.pid },
        { name: 'postgres', pid: cluster.postgresPid, children: true },
        { name: 'temporal', pid: cluster.temporal?.pid ?? 0 },
        { name: 'receiver', pid: receiver.pid },
      ],
    };
    const floods: Flood[] = [];
    const drips: Drip[] = [];
    const bare: Bare[] = [];
    await flood(stage, Math.min(2_000, sizes.events));
    for (let run = 0; run < sizes.runs; run++) {
      floods.push(await flood(stage, sizes.events));
      bare.push(
        await runProgram<Bare>('bare/signed-posts.ts', {
          BARE_TARGET: receiver.origin,
          BARE_COUNT: String(sizes.events),
        }),
      );
      drips.push(await drip(stage, sizes.pace, sizes.seconds));
    }
    return report(
      `(b) ${sizes.events} events to ${sizes.endpoints} endpoints of as many workspaces, then ${sizes.pace} ` +
        `events/s for ${sizes.seconds} s; ${sizes.runs} runs; bare: undici signs and posts the same bodies`,
      figures(floods, drips, bare, sizes.events),
      [...floods, ...drips].map((run) => run.usage.elsewhere),
    );
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
