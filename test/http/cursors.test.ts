import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, type Reply, serveApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

let door: OpenDoor;
let shop: Credential;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes });
  shop = await aCredential(door.database);
  for (let i = 0; i < 7; i += 1) await create(`note ${i}`);
});

afterAll(() => door.close());

const create = (name: string): Promise<Reply> =>
  door.api.call('POST', '/api/v1/notes', { key: shop.key, body: { name } });

const page = (query: string, { key } = shop): Promise<Reply> =>
  door.api.call('GET', `/api/v1/notes${query}`, { key });

const cursorOf = async (query = '?limit=2'): Promise<string> =>
  (await page(query)).body.next_cursor;

function expectInvalid(reply: Reply): void {
  expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_cursor']);
}

describe('a cursor', () => {
  it('walks every record once, newest first, and ends with null', async () => {
    const seen: string[] = [];
    let query = '?limit=3';
    for (;;) {
      const { data, next_cursor } = (await page(query)).body;
      seen.push(...data.map(({ name }: { name: string }) => name));
      if (next_cursor === null) break;
      query = `?limit=3&cursor=${next_cursor}`;
    }

    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `note ${i}`));
  });

  it('neither repeats nor skips what was there throughout, though others come and go', async () => {
    const before = (await page('?limit=100')).body.data as { id: string; name: string }[];
    const seen: string[] = [];
    let cursor: string | null = await cursorOf('?limit=1');
    seen.push(before[0]?.id ?? '');
    for (let i = 0; cursor; i += 1) {
      const extra = (await create(`extra ${i}`)).body;
      await inWorkspace(door.database, shop.organizationId, (sql) =>
        sql.rows('delete from teams where id = $1', [extra.id]),
      );
      await create(`stays ${i}`);
      const reply: Reply = await page(`?limit=2&cursor=${cursor}`);
      seen.push(...reply.body.data.map(({ id }: { id: string }) => id));
      cursor = reply.body.next_cursor;
    }

    expect(seen).toEqual(before.map(({ id }) => id));
  });

  it('goes on behind a record that was deleted', async () => {
    const cursor = await cursorOf('?limit=1');
    const [last] = (await page('?limit=1')).body.data;
    await inWorkspace(door.database, shop.organizationId, (sql) =>
      sql.rows('delete from teams where id = $1', [last.id]),
    );

    const reply = await page(`?limit=1&cursor=${cursor}`);

    expect(reply.status).toBe(200);
    expect(reply.body.data[0].id < last.id).toBe(true);
  });

  it('may be used with another limit', async () => {
    expect((await page(`?limit=5&cursor=${await cursorOf()}`)).status).toBe(200);
  });

  it('is refused with any one bit changed, cut short, or longer', async () => {
    const cursor = await cursorOf();
    const [version, payload = '', tag = ''] = cursor.split('.');
    const flip = (text: string): string => {
      const bytes = Buffer.from(text, 'base64url');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      return bytes.toString('base64url');
    };

    for (const changed of [
      `v2.${payload}.${tag}`,
      `${version}.${flip(payload)}.${tag}`,
      `${version}.${payload}.${flip(tag)}`,
      `${version}.${payload}.${tag}=`,
      `${version}.${payload}.`,
      `${version}.${payload}`,
      `${cursor}.x`,
      cursor.slice(0, -1),
      payload,
      Buffer.from(JSON.stringify({ id: "' or 1=1" })).toString('base64url'),
      'a'.repeat(10_000),
      '',
    ])
      expectInvalid(await page(`?cursor=${encodeURIComponent(changed)}`));
  });

  it('is refused by another workspace, with other filters and at another list', async () => {
    const cursor = await cursorOf();
    const stranger = await aCredential(door.database);
    const [notes] = noteRoutes;
    if (!notes) throw new TypeError('no routes');
    const elsewhere = await serveApi(door.database, {
      routes: [{ ...notes, path: '/v1/memos' }],
      keyring: door.api.deps.keyring,
    });
    await using closing = new AsyncDisposableStack();
    closing.defer(() => elsewhere.close());

    expectInvalid(await page(`?cursor=${cursor}`, stranger));
    expectInvalid(await page(`?cursor=${cursor}&name=note`));
    expectInvalid(await elsewhere.call('GET', `/api/v1/memos?cursor=${cursor}`, { key: shop.key }));
  });

  it('ends with the key that sealed it', async () => {
    const cursor = await cursorOf();
    const keyring = createKeyring(`k2:${randomBytes(32).toString('base64')}`);
    const rotated = await serveApi(door.database, { routes: noteRoutes, keyring });
    await using closing = new AsyncDisposableStack();
    closing.defer(() => rotated.close());

    expectInvalid(await rotated.call('GET', `/api/v1/notes?cursor=${cursor}`, { key: shop.key }));
  });
});
