/** (a) An authenticated page of 50 contacts, through the whole door, against a bare handler. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openDatabase } from '../src/db/database.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startChild, until } from '../test/support/house/child.ts';
import { openHouse } from '../test/support/house/house.ts';
import { type Cluster, openCluster } from './support/cluster.ts';
import { meter, type Usage } from './support/cpu.ts';
import { runProgram } from './support/programs.ts';
import { type Figure, report } from './support/report.ts';
import { aWorkspace, someContacts, someKeys } from './support/workspaces.ts';

export interface ReadSizes {
  readonly runs: number;
  readonly contacts: number;
  readonly keys: number;
  readonly seconds: number;
  readonly connections: number;
}

interface Load {
  answers: number;
  failures: number;
  seconds: number;
  p50: number;
  p99: number;
  cpuSeconds: number;
}

interface Run extends Load {
  readonly usage: Usage;
}

const PATH = '/api/v1/contacts?limit=50';

async function prepare(cluster: Cluster, sizes: ReadSizes) {
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

function figures(service: readonly Run[], bare: readonly Run[]): Figure[] {
  const rate = (runs: readonly Run[]) => runs.map((run) => run.answers / run.seconds);
  const cpu = (runs: readonly Run[], of: (run: Run) => number) =>
    runs.map((run) => (of(run) / run.answers) * 1_000);
  const named = (name: string) => (run: Run) => run.usage.seconds[name] ?? 0;
  const bareRates = rate(bare);
  return [
    { what: 'requests/s', values: rate(service), bare: bareRates },
    {
      what: 'share of the bare handler, %',
      values: rate(service).map((value, i) => (value / (bareRates[i] ?? value)) * 100),
      digits: 1,
      atLeast: 60,
    },
    { what: 'p50, ms', values: service.map((r) => r.p50), bare: bare.map((r) => r.p50) },
    { what: 'p99, ms', values: service.map((r) => r.p99), bare: bare.map((r) => r.p99) },
    ...['api', 'postgres'].map((name) => ({
      what: `CPU s per 1,000: ${name}`,
      digits: 3,
      values: cpu(service, named(name)),
      bare: cpu(bare, named(name)),
    })),
    {
      what: 'CPU s per 1,000: load generator',
      digits: 3,
      values: cpu(service, (run) => run.cpuSeconds),
      bare: cpu(bare, (run) => run.cpuSeconds),
    },
  ];
}

/** Throws when any request was refused: then the figures would be of something else. */
export async function benchRead(sizes: ReadSizes): Promise<boolean> {
  const cluster = await openCluster({ temporal: false });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-bench-keys-'));
  const closing: (() => Promise<void>)[] = [() => cluster.close()];
  try {
    const { organizationId, keys } = await prepare(cluster, sizes);
    const keyFile = path.join(folder, 'keys');
    fs.writeFileSync(keyFile, keys.join('\n'), { mode: 0o600 });
    const house = await openHouse({
      databaseUrl: cluster.databaseUrl,
      temporalAddress: '127.0.0.1:1',
    });
    closing.push(() => house.close());
    const service = await house.start('api');
    const bare = await startBare(cluster, organizationId);
    closing.push(() => bare.kill());

    const ask = async (target: { pid: number; baseUrl: string }, seconds: number) => {
      const used = meter([
        { name: 'api', pid: target.pid },
        { name: 'postgres', pid: cluster.postgresPid, children: true },
      ]);
      const load = await runProgram<Load>('load.ts', {
        LOAD_URL: target.baseUrl + PATH,
        LOAD_KEYS: keyFile,
        LOAD_SECONDS: String(seconds),
        LOAD_CONNECTIONS: String(sizes.connections),
      });
      if (load.failures > 0) throw new Error(`${load.failures} of the requests were refused`);
      return { ...load, usage: used() };
    };
    const served: Run[] = [];
    const bared: Run[] = [];
    for (const target of [service, bare]) await ask(target, 2);
    for (let run = 0; run < sizes.runs; run++) {
      served.push(await ask(service, sizes.seconds));
      bared.push(await ask(bare, sizes.seconds));
    }
    return report(
      `(a) GET ${PATH} of ${sizes.contacts} contacts, ${sizes.keys} keys with the limiter on, ` +
        `${sizes.connections} connections, ${sizes.runs} runs of ${sizes.seconds} s; bare: Koa + pg`,
      figures(served, bared),
      [...served, ...bared].map((run) => run.usage.elsewhere),
    );
  } finally {
    for (const close of closing.reverse()) await close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
