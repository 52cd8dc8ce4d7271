/** (q) Twice as many requests as can be served, for a minute: how the accepted and the refused ones are answered. */
import fs from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../src/db/database.ts';
import type { Cluster } from './support/cluster.ts';
import { meter } from './support/cpu.ts';
import { type Asked, type OpenLoad, startOpenLoad } from './support/open-load.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { residentMb, sample } from './support/sampler.ts';
import { openWithoutTemporal } from './support/stage.ts';
import { aWorkspace, someContacts, someKeys } from './support/workspaces.ts';

export interface OverloadSizes {
  /** In all workspaces together. */
  readonly contacts: number;
  /** In all workspaces together; so many that none comes to its own rate limit. */
  readonly keys: number;
  readonly seconds: number;
  /** Times the capacity. */
  readonly times: number;
}

/** Each has as many contacts and keys. Those who make contacts in one wait for each other. */
const WORKSPACES = 25;
const WIDTH = 32;
const WARM_SECONDS = 10;
const CAPACITY_SECONDS = 10;
const CALM = { pace: 20, seconds: 10 };
/** Counts as recovered when at most this many times slower than before. */
const NORMAL = 3;
const NORMAL_AT_LEAST_MS = 50;
const COURSE_SECONDS = 5;
const SHED = [429, 503];

async function prepare(cluster: Cluster, { contacts, keys }: OverloadSizes): Promise<string> {
  const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 2 });
  try {
    const keyFile = path.join(cluster.folder, 'keys');
    const keysOf: string[][] = [];
    for (let n = 0; n < WORKSPACES; n++) {
      const ctx = await aWorkspace(database);
      await someContacts(database, ctx.organizationId, contacts / WORKSPACES);
      keysOf.push(await someKeys(ctx, keys / WORKSPACES, ['contacts:read', 'contacts:write']));
    }
    // Ten requests in a row per workspace, so that each tenth, which creates a contact, comes from a different one.
    const all = Array.from({ length: keys }, (_, n) =>
      keysOf[Math.floor(n / 10) % WORKSPACES]?.pop(),
    );
    fs.writeFileSync(keyFile, all.join('\n'), { mode: 0o600 });
    return keyFile;
  } finally {
    await database.close();
  }
}

const accepted = (all: readonly Asked[]): Asked[] =>
  all.filter(({ status }) => status < 300 && status > 0);
const p99 = (all: readonly Asked[]): number =>
  percentile(
    all.map(({ ms }) => ms),
    0.99,
  );

/** Seconds after which no second was slower any more than it is when little is asked. */
function secondsUntilNormal(after: readonly Asked[], limitMs: number): number {
  const late = after.filter(({ ms, status }) => ms > limitMs || status >= 300 || status === 0);
  return late.length === 0 ? 0 : Math.max(...late.map(({ at }) => at + 1)) / 1_000;
}

interface Seen {
  readonly capacity: number;
  readonly calmP99: number;
  readonly all: readonly Asked[];
  readonly after: readonly Asked[];
  readonly memoryBefore: number;
  readonly memoryMost: number;
}

function figures(
  { capacity, calmP99, all, after, memoryBefore, memoryMost }: Seen,
  seconds: number,
): Figure[] {
  const served = accepted(all);
  const shed = all.filter(({ status }) => SHED.includes(status));
  const others = all.length - served.length - shed.length;
  const normal = Math.max(NORMAL_AT_LEAST_MS, NORMAL * calmP99);
  return [
    { what: 'capacity, requests/s', values: [capacity] },
    { what: 'asked, requests/s', values: [all.length / seconds] },
    {
      what: 'served, % of the capacity',
      values: [(served.length / seconds / capacity) * 100],
      digits: 1,
      atLeast: 90,
    },
    {
      what: 'asked late: p99, ms',
      values: [
        percentile(
          all.map(({ late }) => late),
          0.99,
        ),
      ],
    },
    { what: 'served: p99, ms', values: [p99(served)], atMost: 1_000 },
    { what: 'refused with 429 or 503', values: [shed.length] },
    { what: 'refused: p99, ms', values: [p99(shed)], atMost: 50 },
    {
      what: 'refused without Retry-After',
      values: [shed.filter(({ retryAfter }) => !retryAfter).length],
      atMost: 0,
    },
    { what: 'answered otherwise, or not at all', values: [others], atMost: 0 },
    { what: 'memory, MB more than before', values: [memoryMost - memoryBefore], atMost: 150 },
    { what: 'calm before: p99, ms', values: [calmP99], digits: 1 },
    {
      what: 'normal again after, s',
      values: [secondsUntilNormal(after, normal)],
      digits: 1,
      atMost: 5,
    },
  ];
}

/** How it developed, to tell a bad end from a bad beginning. */
function sayCourse(all: readonly Asked[], seconds: number): void {
  const told = (some: readonly Asked[]): string => `${some.length}, p99 ${p99(some).toFixed(0)} ms`;
  for (let from = 0; from < seconds; from += COURSE_SECONDS) {
    const some = all.filter(({ at }) => at >= from * 1_000 && at < (from + COURSE_SECONDS) * 1_000);
    const refused = some.filter(({ status }) => SHED.includes(status));
    const served = Object.groupBy(accepted(some), ({ change }) => (change ? 'changes' : 'reads'));
    console.log(
      `from ${from} s: reads ${told(served.reads ?? [])}; changes ${told(served.changes ?? [])}; refused ${told(refused)}`,
    );
  }
}

async function play(
  load: OpenLoad,
  api: { pid: number; baseUrl: string },
  sizes: OverloadSizes,
): Promise<Seen> {
  const ask = (pace: number, seconds: number): Promise<Asked[]> =>
    load.ask({ origin: api.baseUrl, seconds, pace, width: WIDTH });
  await ask(0, WARM_SECONDS);
  const capacity = accepted(await ask(0, CAPACITY_SECONDS)).length / CAPACITY_SECONDS;
  const calmP99 = p99(accepted(await ask(CALM.pace, CALM.seconds)));
  const memoryBefore = residentMb(api.pid);
  const memory = sample(200, () => residentMb(api.pid));
  const all = await ask(capacity * sizes.times, sizes.seconds);
  await memory.stop();
  sayCourse(all, sizes.seconds);
  const after = await ask(CALM.pace, CALM.seconds);
  return { capacity, calmP99, all, after, memoryBefore, memoryMost: Math.max(...memory.values) };
}

export async function benchOverload(sizes: OverloadSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { cluster, processes } = await openWithoutTemporal(closing);
  const keyFile = await prepare(cluster, sizes);
  const api = await processes.start('api');
  const load = startOpenLoad(keyFile);
  closing.defer(() => load.close());
  const used = meter([
    { name: 'api', pid: api.pid },
    { name: 'postgres', pid: cluster.postgresPid, children: true },
    { name: 'load', pid: load.pid },
  ]);
  const seen = await play(load, api, sizes);
  const { seconds, elsewhere } = used();
  const spent = Object.entries(seconds).map(([name, s]) => `${name} ${s.toFixed(1)}`);
  console.log(`CPU s: ${spent.join(', ')}`);
  return report(
    `(q) ${sizes.times} times the capacity for ${sizes.seconds} s: one in ten makes a contact, the others read a page of 50 of ` +
      `${sizes.contacts / WORKSPACES} in each of ${WORKSPACES} workspaces; ${sizes.keys} keys with the limiter on; one api process`,
    figures(seen, sizes.seconds),
    [elsewhere],
  );
}
