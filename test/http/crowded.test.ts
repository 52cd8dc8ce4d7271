import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { operationalMounts } from '../../src/http/health.ts';
import { httpMetrics } from '../../src/http/metrics.ts';
import { openGate } from '../../src/http/shedding.ts';
import { aCredential } from '../support/credentials.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Reply, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

const POOL = 2;
const STATEMENT_MS = 400;
const LONGEST_LINE = 1_024;

let files: TestDatabase;
let database: Database;
let api: TestApi;
let key: string;
const metrics = httpMetrics();
const SERVED = { routes: noteRoutes, metrics, mounts: operationalMounts([], metrics) };

beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url, poolSize: POOL, statementMs: STATEMENT_MS });
  api = await serveApi(database, SERVED);
  ({ key } = await aCredential(database));
});

afterAll(async () => {
  await api.close();
  await database.close();
  await files.close();
});

const read = (): Promise<Reply> => api.call('GET', '/api/v1/notes', { key });
const write = (): Promise<Reply> =>
  api.call('POST', '/api/v1/notes', { key, body: { name: 'Ana' } });

/** Every connection of the door is lent out until the work is over. */
async function withoutConnections<T>(work: () => Promise<T>): Promise<T> {
  const lent = await Promise.all(Array.from({ length: POOL }, () => database.reads.connect()));
  try {
    return await work();
  } finally {
    for (const client of lent) client.release();
  }
}

describe('a service whose connections to the database are all in use', () => {
  it('lets callers wait for one, and tells them to come later when there is none for long', async () => {
    const late = await withoutConnections(read);
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const held = withoutConnections(() => freed);
    const waiting = Array.from({ length: 20 }, read);
    free();
    await held;

    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
  });

  it('refuses at once whoever comes when the line is as long as can be, but no probe', async () => {
    const line = { length: LONGEST_LINE };
    const crowded = await serveApi({ ...database, waiting: () => line.length }, SERVED);
    const refused = await crowded.call('GET', '/api/v1/notes', { key });
    const probes = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => crowded.call('GET', path)),
    );
    line.length = 0;
    const served = await crowded.call('GET', '/api/v1/notes', { key });
    await crowded.close();

    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-request-id')).toBe(refused.body.error.request_id);
    expect(probes.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(probes[2]?.text).toContain('route="shed",status="503"');
    expect(served.status).toBe(200);
  });
});

describe('the line for connections', () => {
  it('may be long for half a second, as in a burst, and again once it was short for a second', () => {
    let line = 0;
    let moment = 0;
    const said: object[] = [];
    const gate = openGate(
      () => line,
      { warn: (about: object) => void said.push(about) },
      () => moment,
    );
    const isIn = (length: number, ms: number): boolean => {
      [line, moment] = [length, ms];
      try {
        gate.enter();
        return true;
      } catch {
        return false;
      }
    };

    const burst = [isIn(127, 0), isIn(128, 10), isIn(1_023, 510)];
    const load = [
      isIn(128, 511),
      isIn(127, 600),
      isIn(128, 601),
      isIn(127, 1_500),
      isIn(128, 1_590),
    ];
    const later = [isIn(1_024, 1_600), isIn(0, 2_700), isIn(500, 2_701), isIn(1_024, 2_702)];

    expect(burst).toEqual([true, true, true]);
    expect(load).toEqual([false, true, false, true, false]);
    expect(later).toEqual([false, true, true, false]);
    expect(said).toEqual([{ refused: 1, waiting: 128 }]);
  });
});

describe('a table that somebody has locked', () => {
  it('costs its callers 503 and nobody else anything, and is changed by none of them', async () => {
    const owner = new pg.Client({ connectionString: files.url });
    await owner.connect();
    await owner.query('begin; lock table teams');
    const changes = await Promise.all(Array.from({ length: POOL + 1 }, write));
    const unknown = await api.call('GET', '/api/v1/notes', { key: `sk_live_${'0'.repeat(32)}` });
    await owner.query('rollback');
    await owner.end();

    expect(changes.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(unknown.status).toBe(401);
    expect((await read()).body.data).toEqual([]);
    expect((await write()).status).toBe(201);
  });
});
