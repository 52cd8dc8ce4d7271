/** (a) An authenticated page of 50 contacts, through the whole door, against a bare handler. */
import fs from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../src/db/database.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startChild, until } from '../test/support/processes/child.ts';
import type { Cluster } from './support/cluster.ts';
import { meter, type Usage } from './support/cpu.ts';
import { type Load, startLoadGenerator } from './support/load-generator.ts';
import { type Figure, median, report } from './support/report.ts';
import { openWithoutTemporal } from './support/stage.ts';
import { aWorkspace, someContacts, someKeys } from './support/workspaces.ts';

export interface ReadSizes {
  readonly runs: number;
  readonly contacts: number;
  readonly keys: number;
  /** Of each of the two, in a run. */
  readonly seconds: number;
  readonly connections: number;
}

interface Slice extends Load {
  readonly usage: Usage;
}

interface Run {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU seconds for 1,000 requests. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly elsewhere: number;
}

/**
 * The two take turns this often: what else the machine does then slows both down alike, and their
 * ratio stays what it is.
 */
const SLICE_SECONDS = 2;

export const READ_PATH = '/api/v1/contacts?limit=50';

/** A workspace with contacts, and its keys. */
export async function prepareReads(cluster: Cluster, sizes: Pick<ReadSizes, 'contacts' | 'keys'>) {
  const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 2 });
  try {
    const ctx = await aWorkspace(database);
    await someContacts(database, ctx.organizationId, sizes.contacts);
    const keys = await someKeys(ctx, sizes.keys);
    return { organizationId: ctx.organizationId, keys };
  } finally {
    await database.close();
  }
}

async function startBare(cluster: Cluster, organizationId: string) {
  const port = await freePort();
  const child = startChild('bench/bare/koa-read.ts', {
    NODE_ENV: 'production',
    BARE_DATABASE_URL: cluster.bareUrl,
    BARE_PORT: String(port),
    BARE_ORGANIZATION: organizationId,
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await until('the bare handler answers', async () => (await fetch(baseUrl)).ok, { child });
  return { ...child, baseUrl };
}

function runOf(slices: readonly Slice[]): Run {
  const sum = (of: (slice: Slice) => number) => slices.reduce((all, one) => all + of(one), 0);
  const answers = sum((slice) => slice.answers);
  const cpu = (of: (slice: Slice) => number) => (sum(of) / answers) * 1_000;
  return {
    perSecond: answers / sum((slice) => slice.seconds),
    p50: median(slices.map((slice) => slice.p50)),
    p99: median(slices.map((slice) => slice.p99)),
    cpu: {
      server: cpu((slice) => slice.usage.seconds['server'] ?? 0),
      postgres: cpu((slice) => slice.usage.seconds['postgres'] ?? 0),
      load: cpu((slice) => slice.cpuSeconds),
    },
    elsewhere: median(slices.map((slice) => slice.usage.elsewhere)),
  };
}

function figures(service: readonly Run[], bare: readonly Run[]): Figure[] {
  const both = (what: string, digits: number, of: (run: Run) => number): Figure => ({
    what,
    digits,
    values: service.map(of),
    bare: bare.map(of),
  });
  return [
    both('requests/s', 0, (run) => run.perSecond),
    {
      what: 'share of the bare handler, %',
      values: service.map((run, i) => (run.perSecond / (bare[i]?.perSecond ?? 0)) * 100),
      digits: 1,
      atLeast: 60,
    },
    both('p50, ms', 0, (run) => run.p50),
    both('p99, ms', 0, (run) => run.p99),
    both('CPU s per 1,000: api', 3, (run) => run.cpu['server'] ?? 0),
    both('CPU s per 1,000: postgres', 3, (run) => run.cpu['postgres'] ?? 0),
    both('CPU s per 1,000: load generator', 3, (run) => run.cpu['load'] ?? 0),
  ];
}

/** Throws when any request was refused while it measures: then the figures would be of something else. */
export async function benchRead(sizes: ReadSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { cluster, processes } = await openWithoutTemporal(closing);
  const { organizationId, keys } = await prepareReads(cluster, sizes);
  const keyFile = path.join(cluster.folder, 'keys');
  fs.writeFileSync(keyFile, keys.join('\n'), { mode: 0o600 });
  const service = await processes.start('api');
  const bare = await startBare(cluster, organizationId);
  closing.defer(() => bare.kill());

  const generator = startLoadGenerator(keyFile);
  closing.defer(() => generator.close());
  const ask = async (target: { pid: number; baseUrl: string }): Promise<Slice> => {
    const used = meter([
      { name: 'server', pid: target.pid },
      { name: 'postgres', pid: cluster.postgresPid, children: true },
    ]);
    const load = await generator.ask({
      url: target.baseUrl + READ_PATH,
      seconds: SLICE_SECONDS,
      connections: sizes.connections,
    });
    return { ...load, usage: used() };
  };
  const measured = async (target: Parameters<typeof ask>[0]): Promise<Slice> => {
    const slice = await ask(target);
    if (slice.failures > 0) throw new Error(`${slice.failures} of the requests were refused`);
    return slice;
  };
  const served: Run[] = [];
  const bared: Run[] = [];
  // A process that has only just started may refuse some of so many at once; that is no figure yet.
  for (const target of [service, bare]) await ask(target);
  for (let run = 0; run < sizes.runs; run++) {
    const ours: Slice[] = [];
    const theirs: Slice[] = [];
    for (let second = 0; second < sizes.seconds; second += SLICE_SECONDS) {
      ours.push(await measured(service));
      theirs.push(await measured(bare));
    }
    served.push(runOf(ours));
    bared.push(runOf(theirs));
  }
  return report(
    `(a) GET ${READ_PATH} of ${sizes.contacts} contacts, ${sizes.keys} keys with the limiter on, ` +
      `${sizes.connections} connections, ${sizes.runs} runs of ${sizes.seconds} s; bare: Koa + pg`,
    figures(served, bared),
    [...served, ...bared].map((run) => run.elsewhere),
  );
}
