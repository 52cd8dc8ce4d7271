import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { Turns } from '../../src/db/connections/turns.ts';
import { read } from '../../src/http/route.ts';
import { operationalMounts } from '../../src/http/serving/health.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { createLog } from '../../src/log.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OwnDatabase, openOwnDatabase, untilWaiting } from '../support/database.ts';
import { type Reply, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';
import { eventually } from '../support/waiting.ts';

/** Of twelve connections that change something, and of six that read. */
const SHARES = { writes: 4, reads: 5 };

/** Takes as long as the test holds the workspace's lock. */
const report = read({
  operationId: 'get_report',
  summary: 'get_report',
  tag: 'Notes',
  path: '/v1/report',
  scope: 'contacts:read',
  reply: z.strictObject({}),
  example: { response: {} },
  handle: async ({ sql, organizationId }) => {
    await sql.rows('select pg_advisory_xact_lock(hashtextextended($1, 7))', [organizationId]);
    return {};
  },
});
const metrics = httpMetrics();
const log = createLog({ level: 'silent', format: 'json' });
/** What the log says of refusals. */
const said: { refused?: unknown }[] = [];
log.warn = (about: object) => {
  said.push(about);
};
const ROUTES = {
  routes: [...noteRoutes, report],
  mounts: operationalMounts([], metrics),
  metrics,
  log,
};

let database: OwnDatabase;
let api: TestApi;
let busy: Credential;
let other: Credential;
/** Whoever holds locks while the callers wait. */
let holder: pg.Client;
let note: string;

beforeAll(async () => {
  // A busy machine lets the callers wait for the locks below for longer than a statement may.
  database = await openOwnDatabase({ refuses: true, statementMs: 120_000 });
  api = await serveApi(database, ROUTES);
  [busy, other] = [await aCredential(database), await aCredential(database)];
  note = `/api/v1/notes/${(await create(busy)).body.id}`;
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
});

afterAll(async () => {
  await holder.end();
  await api.close();
  await database.close();
});

const lockNote = async (): Promise<void> => {
  await holder.query('begin');
  await holder.query('select 1 from teams where id = $1 for update', [note.split('/').at(-1)]);
};

const rename = (name: string): Promise<Reply> =>
  api.call('PATCH', note, { key: busy.key, body: { name } });
let made = 0;
const create = ({ key }: Credential): Promise<Reply> => {
  made += 1;
  return api.call('POST', '/api/v1/notes', { key, body: { name: `note ${made}` } });
};
const look = ({ key }: Credential): Promise<Reply> => api.call('GET', '/api/v1/notes', { key });

/** So many calls at once, and how many of them were answered. */
function callers(count: number, call: (n: number) => Promise<Reply>) {
  let answered = 0;
  const calls = Array.from({ length: count }, async (_, n) => {
    const { status } = await call(n);
    answered += 1;
    return status;
  });
  return { statuses: Promise.all(calls), answered: () => answered };
}

describe('a workspace whose callers all wait for one row', () => {
  it('holds nobody else up: its own callers alone are refused, and its operators are told', async () => {
    const { writes } = database.turns;
    await lockNote();
    const crowd = callers(60, (n) => rename(`name ${n}`));
    await eventually(() => writes.length + crowd.answered() >= 60 - SHARES.writes);
    const meanwhile = [await create(other), await look(other), await look(busy)];
    const more: Promise<Reply>[] = [];
    const overShare: Reply[] = [];
    // Whichever of them is refused: a busy machine answers the latest one later than the next is asked.
    for (; overShare.length === 0; await sleep(100))
      more.push(
        rename('one more').then((reply) => {
          if (reply.text.includes('more requests than its share')) overShare.push(reply);
          return reply;
        }),
      );
    const [refused] = overShare;
    const afterwards = await create(other);
    await holder.query('rollback');
    const statuses = await crowd.statuses;
    const answers = [...statuses, ...(await Promise.all(more)).map(({ status }) => status)];
    const { text: figures } = await api.call('GET', '/metrics');

    expect(meanwhile.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused?.body.error.message).toMatch(/^This workspace sends more requests/);
    // On a busy machine some of the crowd is refused at the door already.
    const turnedAway = [
      ...figures.matchAll(/^wms_http_turned_away_total\{reason="\w+"\} (\d+)$/gm),
    ];
    expect(turnedAway.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(
      answers.filter((status) => status === 503).length,
    );
    const named = said.find(({ refused: who }) => typeof who === 'object');
    expect(named).toEqual({ refused: { [busy.organizationId]: 1 } });
    expect(afterwards.status).toBe(201);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(
      SHARES.writes,
    );
    expect(new Set([200, 503])).toEqual(new Set([...statuses, 200, 503]));
    expect(writes.length).toBe(0);
    // More than its share, and no more than the six readers let in at once: on a busy machine a line before them is refused.
    expect(await callers(SHARES.writes + 2, () => rename('free')).statuses).toEqual(
      Array(SHARES.writes + 2).fill(200),
    );
  });

  it('changes nothing for a caller who went away while waiting', async () => {
    const writes = new Turns({ places: 2, share: 1, waitMs: 600_000, longestMs: 600_000 });
    const turns = { ...database.turns, writes };
    const own = await serveApi({ ...database, turns }, ROUTES);
    const send = (name: string, signal?: AbortSignal): Promise<Response> =>
      fetch(own.url + note, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${busy.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
        ...(signal ? { signal } : {}),
      });
    await lockNote();
    const first = send('the first');
    await untilWaiting(holder);
    const going = new AbortController();
    const gone = send('nobody waits for it', going.signal).catch(() => null);
    await eventually(() => writes.length === 1);
    going.abort();
    await eventually(() => writes.length === 0);
    await holder.query('rollback');
    const { status } = await first;
    const found = await api.call('GET', note, { key: busy.key });
    await own.close();

    expect([await gone, status, found.body.name]).toEqual([null, 200, 'the first']);
  });
});

describe('a workspace with slow reports', () => {
  it('leaves readers to the others, and its own changes do not wait for them', async () => {
    const { reads } = database.turns;
    const fresh = await aCredential(database, { organizationId: busy.organizationId });
    const lock = [busy.organizationId];
    await holder.query('select pg_advisory_lock(hashtextextended($1, 7))', lock);
    const crowd = callers(20, () => api.call('GET', '/api/v1/report', { key: fresh.key }));
    await eventually(() => reads.length + crowd.answered() >= 20 - SHARES.reads);
    const meanwhile = [await look(other), await create(other), await create(busy)];
    await holder.query('select pg_advisory_unlock(hashtextextended($1, 7))', lock);
    const statuses = await crowd.statuses;

    expect(meanwhile.map(({ status }) => status)).toEqual([200, 201, 201]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(SHARES.reads);
    expect(reads.length).toBe(0);
    expect((await look(busy)).status).toBe(200);
  });
});
