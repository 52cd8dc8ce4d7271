import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { asSystem, type Database, openDatabase } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { openTestDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type Reply, serveApi, type TestApi } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { noteRoutes } from '../support/notes.ts';

/** As many at a time as one workspace may have connections to read by, in two processes: a line would be turned away. */
const WIDTH = 10;

// Two whole processes' worth of it: their own pools, sharing nothing but the database.
let apis: TestApi[];
let close: () => Promise<void>;
let credential: () => Promise<Credential>;
/** As if so many requests had come just now: a busy machine would not make them within the minute. */
let made: (credential: Pick<Credential, 'keyId'>, requests: number) => Promise<void>;
let workspace: () => Promise<Context>;

beforeAll(async () => {
  const files = await openTestDatabase();
  const databases = [
    await openDatabase({ url: files.url }),
    await openDatabase({ url: files.url }),
  ];
  apis = await Promise.all(databases.map((database) => serveApi(database, { routes: noteRoutes })));
  const [database] = databases as [Database, Database];
  credential = () => aCredential(database);
  workspace = async () => (await aWorkspace(database)).ctx;
  made = async ({ keyId }, requests) => {
    await asSystem(database, (sql) =>
      sql.rows('select wms.take_request($1, 600) from generate_series(1, $2::int)', [
        keyId,
        requests,
      ]),
    );
  };
  close = async () => {
    for (const api of apis) await api.close();
    for (const database of databases) await database.close();
    await files.close();
  };
});

afterAll(() => close());

const get = (key: string, n: number): Promise<Reply> =>
  (apis[n % apis.length] as TestApi).call('GET', '/api/v1/notes?limit=1', { key });

/** `count` calls, `width` of them at a time, half of these to each process. */
async function flood(key: string, count: number, width: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  let begun = 0;
  const lane = async (n: number): Promise<void> => {
    while (begun < count) {
      begun += 1;
      replies.push(await get(key, n));
    }
  };
  await Promise.all(Array.from({ length: width }, (_, n) => lane(n)));
  return replies;
}

describe('the limit of a key', () => {
  it('lets exactly 600 requests through in a minute, over two processes', async () => {
    const shop = await credential();
    await made(shop, 500);

    const replies = await flood(shop.key, 150, WIDTH);

    const served = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect([served.length, refused.length]).toEqual([100, 50]);
  });

  it('says in every answer what is left, and when more will be', async () => {
    const shop = await credential();
    const { key } = shop;

    const first = await get(key, 0);
    const second = await get(key, 1);
    await made(shop, 598);
    const last = await get(key, 0);

    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=599;t=6[01]$/);
    expect(second.headers.get('ratelimit')).toMatch(/^"default";r=598;t=\d+$/);
    const wait = last.headers.get('retry-after');
    expect(last.status).toBe(429);
    expect(last.headers.get('ratelimit')).toBe(`"default";r=0;t=${wait}`);
    expect(last.headers.get('ratelimit-policy')).toBe('"default";q=600;w=60');
    expect(last.body.error).toMatchObject({
      code: 'rate_limited',
      details: { limit: 600, window_s: 60, retry_after_s: Number(wait) },
    });
  });

  it('is each key’s own', async () => {
    const busy = await credential();
    const calm = await credential();
    await made(busy, 600);

    expect((await get(busy.key, 0)).status).toBe(429);
    expect((await get(calm.key, 0)).status).toBe(200);
  });

  it('is that of a connection of an app, too', async () => {
    const ctx = await workspace();
    const busy = await aMember(ctx);
    const calm = await aMember(ctx);
    await made({ keyId: busy.credentialId }, 599);

    const last = await get(busy.token, 0);

    expect([last.status, last.headers.get('ratelimit')]).toEqual([
      200,
      expect.stringMatching(/^"default";r=0;/),
    ]);
    expect((await get(busy.token, 1)).status).toBe(429);
    expect((await get(calm.token, 0)).status).toBe(200);
  });

  it('is counted down by a repeated answer as by a first one', async () => {
    const { key } = await credential();
    const left = async (): Promise<number> => {
      const reply = await (apis[0] as TestApi).call('POST', '/api/v1/notes', {
        key,
        body: { name: 'counted' },
        headers: { 'idempotency-key': 'counted' },
      });
      return Number(/r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
    };

    expect([await left(), await left(), await left()]).toEqual([599, 598, 597]);
  });

  it('counts refused requests too, but none that no key stands behind', async () => {
    const { key } = await credential();
    const remaining = async (): Promise<number> =>
      Number(/r=(\d+)/.exec((await get(key, 0)).headers.get('ratelimit') ?? '')?.[1]);
    const before = await remaining();

    await apis[0]?.call('GET', '/api/v1/notes?limit=0', { key });
    await apis[0]?.call('GET', '/api/v1/nothing', { key });
    await apis[0]?.call('GET', '/api/v1/notes', { key: key.toUpperCase() });

    expect(await remaining()).toBe(before - 3);
  });
});
