/** What single statements cost PostgreSQL when an event comes now and then, so that each finds cold caches. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, inWorkspace, openDatabase, sqlOver } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { insertFacts } from '../../src/outbox/record.ts';
import { type DueAttempt, fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { type Result, recordOfDay } from '../../src/webhooks/lanes/first-attempts/recording.ts';
import { testKeyring } from '../../test/support/factories/numbers.ts';
import { openCluster } from '../support/cluster.ts';
import { sentFact } from '../support/people.ts';
import { report } from '../support/report.ts';
import { aTargetAt } from '../support/webhook-stage.ts';

export interface StatementSizes {
  /** Events that are fanned out; ten of them at a time are recorded. */
  readonly events: number;
  readonly pace: number;
}

const ENDPOINTS = 20;
const AT_ONCE = 10;
/** By then it has said what it counts. */
const SETTLED_MS = 3;
/** Until plans are kept and pages are there. */
const WARMING = 200;
const TOKEN = 'bench';

/** CPU time of a process so far, microseconds. */
const microsOf = (pid: number): number =>
  Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

const delivered = (attempt: DueAttempt): Result => {
  const { id, day, organizationId, endpointId, eventId, trace } = attempt;
  const about = { id, day, organizationId, endpointId, eventId, trace };
  const answer = { code: 200, durationMs: 3, response: 'ok', error: null };
  return { ...about, ...answer, status: 'succeeded', startedAt: new Date(), nextAttemptAt: null };
};

interface Scene {
  readonly database: Database;
  readonly sql: Sql;
  readonly workspaces: readonly string[];
  /** Microseconds of PostgreSQL's process that serves `sql`, until the work's answer was sent. */
  readonly cost: (work: () => Promise<unknown>) => Promise<number>;
}

async function openScene(closing: AsyncDisposableStack): Promise<Scene> {
  const cluster = await openCluster({ temporal: false });
  closing.defer(() => cluster.close());
  const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 2 });
  closing.defer(() => database.close());
  const parts = { keyring: testKeyring, trustedOrigins: [] };
  const workspaces: string[] = [];
  while (workspaces.length < ENDPOINTS) {
    const { ctx } = await aTargetAt(database, 'https://example.com/hooks', parts);
    workspaces.push(ctx.organizationId);
  }
  const client = await database.system.connect();
  closing.defer(() => client.release());
  const sql = sqlOver(client);
  const [{ pid } = { pid: 0 }] = await sql.rows<{ pid: number }>('select pg_backend_pid() as pid');
  const cost = async (work: () => Promise<unknown>): Promise<number> => {
    const before = microsOf(pid);
    await work();
    await sleep(SETTLED_MS);
    return microsOf(pid) - before;
  };
  return { database, sql, workspaces, cost };
}

/** Prints the median cost of a fan-out of one event and of recording ten attempts; nothing is sent. */
export async function benchStatements({ events, pace }: StatementSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { database, sql, workspaces, cost } = await openScene(closing);
  const seen = { fanOut: [] as number[], record: [] as number[] };
  const results: Result[] = [];
  let next = performance.now();
  for (let n = -WARMING; n < events; n++) {
    const organizationId = workspaces[(n + WARMING) % ENDPOINTS] ?? '';
    const facts = [sentFact(organizationId, n + WARMING)];
    await inWorkspace(database, organizationId, (tx) => insertFacts(tx, organizationId, facts));
    next += 1_000 / pace;
    await sleep(Math.max(0, next - performance.now()));
    const fannedOut = await cost(async () => {
      const { claimed } = await fanOut(sql, { token: TOKEN, full: [] }, 100);
      results.push(...claimed.map(delivered));
    });
    if (n >= 0) seen.fanOut.push(fannedOut);
    if (results.length < AT_ONCE) continue;
    const some = results.splice(0);
    const book = { sql, token: TOKEN, laneWaits: true };
    const recorded = await cost(() => recordOfDay(book, some[0]?.day ?? '', some, () => {}));
    if (n >= 0) seen.record.push(recorded);
  }
  return report(
    `${events} events, ${pace} a second, to ${ENDPOINTS} endpoints: CPU of the process of PostgreSQL, medians`,
    [
      { what: 'fan-out of one event, µs', digits: 0, values: seen.fanOut },
      { what: `recording ${AT_ONCE} attempts, µs`, digits: 0, values: seen.record },
    ],
    [],
  );
}
