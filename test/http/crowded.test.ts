import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { watchLine } from '../../src/db/connections/line.ts';
import { Turns } from '../../src/db/connections/turns.ts';
import type { Mount } from '../../src/http/mount.ts';
import { operationalMounts } from '../../src/http/serving/health.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { gateBefore } from '../../src/http/serving/shedding.ts';
import { aCredential } from '../support/credentials.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { type Reply, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

const POOL = 2;
const STATEMENT_MS = 4_000;
const TOO_LONG_MS = 5_000;

let database: OwnDatabase;
let api: TestApi;
let key: string;
const metrics = httpMetrics();
const page: Mount = {
  path: '/page',
  handle: (ctx) => {
    ctx.body = 'here';
  },
  errorPage: ({ message }) => ({ html: `<p>${message}</p>`, csp: "default-src 'self'" }),
};
const mounts = [...operationalMounts([], metrics), page];
const SERVED = { routes: noteRoutes, metrics, mounts };

beforeAll(async () => {
  database = await openOwnDatabase({ refuses: true, poolSize: POOL, statementMs: STATEMENT_MS });
  api = await serveApi(database, SERVED);
  ({ key } = await aCredential(database));
});

afterAll(async () => {
  await api.close();
  await database.close();
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

  it('refuses at once whoever would wait too long, a person by a page, but no probe', async () => {
    let wait = 0;
    const reads = new Turns({ places: 1, share: 1, waitMs: 1, longestMs: 1 });
    reads.wait = () => wait;
    const turns = { ...database.turns, reads };
    const crowded = await serveApi({ ...database, turns }, SERVED);
    wait = TOO_LONG_MS;
    const refused = await crowded.call('GET', '/api/v1/notes', { key });
    const person = await crowded.call('GET', '/page');
    const probes = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => crowded.call('GET', path)),
    );
    wait = 0;
    const served = await crowded.call('GET', '/api/v1/notes', { key });
    await crowded.close();

    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-request-id')).toBe(refused.body.error.request_id);
    expect([person.status, person.headers.get('retry-after')]).toEqual([503, '1']);
    expect(person.text).toMatch(/^<p>More requests/);
    expect(person.headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(probes.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(probes[2]?.text).toContain('route="shed",status="503"');
    expect(served.status).toBe(200);
  });
});

/** A gate before two lines, at a clock that is set. */
function aGate() {
  const waits = { reads: 0, writes: 0 };
  let moment = 0;
  const isLate = gateBefore(
    {
      reads: { length: 1, wait: () => waits.reads },
      writes: { length: 1, wait: () => waits.writes },
    },
    () => moment,
  );
  /** Whether somebody is let in who would wait so long for each. */
  return (method: string, at: number, reads: number, writes = 0): boolean => {
    Object.assign(waits, { reads, writes });
    moment = at;
    return !isLate(method);
  };
}

describe('the gate', () => {
  it('lets a burst wait longer for half a second, and again once nobody waited long for a second', () => {
    const isIn = aGate();
    const burst = [isIn('GET', 0, 125), isIn('GET', 10, 126), isIn('HEAD', 510, 1_500)];
    const load = [isIn('GET', 511, 126), isIn('GET', 600, 125), isIn('GET', 1_500, 126)];
    const later = [isIn('GET', 1_600, 1_501), isIn('GET', 2_701, 0), isIn('GET', 2_702, 500)];

    expect(burst).toEqual([true, true, true]);
    expect(load).toEqual([false, true, false]);
    expect(later).toEqual([false, true, true]);
  });

  it('lets everybody read while whoever would change something waits too long', () => {
    const isIn = aGate();
    const burst = [isIn('POST', 0, 0, 251), isIn('DELETE', 500, 0, 1_500)];
    const load = [isIn('PATCH', 501, 0, 251), isIn('GET', 502, 0, 251), isIn('POST', 503, 0, 250)];

    expect(burst).toEqual([true, true]);
    expect(load).toEqual([false, true, true]);
  });

  it('lets nobody change something behind a burst of readers', () => {
    const isIn = aGate();

    expect([isIn('POST', 0, 126), isIn('GET', 1, 126), isIn('POST', 2, 125)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

/** A line whose length is said, and its own clock. */
function aLine() {
  let length = 0;
  let moment = 0;
  const line = watchLine(
    () => length,
    () => moment,
  );
  return {
    /** What somebody who came at that moment, behind so many, would wait. */
    wait: (waiting: number, at: number): number => {
      [length, moment] = [waiting, at];
      return line.wait();
    },
    /** The first in line gets a connection, which leaves so many. */
    served: (left: number, at: number): void => {
      [length, moment] = [left, at];
      line.served();
    },
  };
}

describe('the line for connections', () => {
  it('is as long as those in it take at the pace of late, whichever pace that is', () => {
    const { wait, served } = aLine();
    const until = (ms: number, from: number): number => {
      wait(1, from);
      for (let n = 1; n <= 200; n++) served(1, from + n * ms);
      return from + 200 * ms;
    };
    const quickAt = until(2, 0);
    const quick = wait(100, quickAt);
    const slow = wait(10, until(40, quickAt));

    expect(quick).toBeCloseTo(200, 0);
    expect(slow).toBeCloseTo(400, 0);
  });

  it('is at least as long as nobody got a connection, and nothing when nobody waits', () => {
    const { wait, served } = aLine();
    served(0, 0);
    const waits = [wait(1, 5_000), wait(1, 5_700), wait(0, 6_000), wait(1, 9_000), wait(3, 9_400)];

    expect(waits).toEqual([0, 700, 0, 0, 400]);
  });

  it('forgets soon that connections were locked up for long', () => {
    const { wait, served } = aLine();
    wait(1, 0);
    served(1, 60_000);
    for (let n = 1; n <= 100; n++) served(1, 60_000 + n);

    expect(wait(10, 60_100)).toBeLessThan(20);
  });
});

describe('a table that somebody has locked', () => {
  it('costs its callers 503 and nobody else anything, and is changed by none of them', async () => {
    const owner = new pg.Client({ connectionString: database.url });
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
