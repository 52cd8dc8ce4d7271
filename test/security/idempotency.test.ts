import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, type Reply, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const time = { offsetMs: 0 };
const clock = { now: () => new Date(Date.now() + time.offsetMs), skewMs: 0 };

let door: OpenDoor;
let second: TestApi;
let shop: Credential;
let keys = 0;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes, clock });
  second = await serveApi(door.database, { ...door.api.deps });
  shop = await aCredential(door.database);
});

afterAll(async () => {
  await second.close();
  await door.close();
});

const freshKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

interface Sent {
  readonly api?: TestApi;
  readonly credential?: Credential;
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const send = (idempotencyKey: string, sent: Sent = {}): Promise<Reply> => {
  const { api = door.api, credential = shop, method = 'POST', path = '/api/v1/notes' } = sent;
  const headers = { 'idempotency-key': idempotencyKey, ...sent.headers };
  const { body } = sent;
  return api.call(method, path, { key: credential.key, headers, body });
};

const named = async (name: string, { key } = shop): Promise<number> =>
  (await door.api.call('GET', `/api/v1/notes?name=${name}`, { key })).body.data.length;

const outcome = ({ status, body }: Reply): [number, string] => [status, body?.error?.code];

describe('a request with an Idempotency-Key', () => {
  it('happens once, and its answer is repeated to the letter', async () => {
    const key = freshKey();
    const body = { name: 'once' };

    const replies: Reply[] = [];
    for (let i = 0; i < 5; i += 1) replies.push(await send(key, { body }));

    const [first, ...repeats] = replies;
    expect(first?.status).toBe(201);
    expect(first?.headers.has('idempotent-replayed')).toBe(false);
    for (const repeat of repeats) {
      expect([repeat.status, repeat.text]).toEqual([first?.status, first?.text]);
      expect(repeat.headers.get('content-type')).toBe(first?.headers.get('content-type'));
      expect(repeat.headers.get('x-request-id')).toBe(first?.headers.get('x-request-id'));
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await named('once')).toBe(1);
  });

  it('happens once when twenty are sent at the same time to two processes', async () => {
    const key = freshKey();
    const body = { name: 'slow' };

    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send(key, { body, api: i % 2 ? second : door.api })),
    );

    const done = replies.filter(({ status }) => status === 201);
    const waiting = replies.filter(({ status }) => status !== 201);
    expect(done.length).toBeGreaterThanOrEqual(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(waiting.length).toBeGreaterThan(0);
    for (const reply of waiting) {
      expect(outcome(reply)).toEqual([409, 'idempotency_in_progress']);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    expect((await send(key, { body, api: second })).text).toBe(done[0]?.text);
    expect(await named('slow')).toBe(1);
  });

  it('is refused when the key was used for another body, route, id, query or method', async () => {
    const key = freshKey();
    const note = (await send(freshKey(), { body: { name: 'target' } })).body;
    const path = `/api/v1/notes/${note.id}`;
    await send(key, { body: { name: 'first' } });

    const others = await Promise.all([
      send(key, { body: { name: 'second' } }),
      send(key, { path: '/api/v1/notes/drafts' }),
      send(key, { path: `${path}/mark` }),
      send(key, { path: '/api/v1/notes?x=1', body: { name: 'first' } }),
      send(key, { path, method: 'PATCH', body: { name: 'first' } }),
    ]);

    // In flight together, some may meet another's lock; none may be served.
    for (const other of others)
      expect(['idempotency_mismatch', 'idempotency_in_progress']).toContain(other.body.error.code);
    expect(outcome(await send(key, { body: { name: 'second' } }))).toEqual([
      422,
      'idempotency_mismatch',
    ]);
  });

  it('is the same request with its keys in another order and other white space', async () => {
    const key = freshKey();

    const first = await send(key, { body: '{"name":"order","kind":"long"}' });
    const again = await send(key, { body: '{ "kind": "long",\n "name": "order" }' });

    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('belongs to one credential of one workspace', async () => {
    const key = freshKey();
    const { organizationId } = shop;
    const colleague = await aCredential(door.database, { organizationId });
    const stranger = await aCredential(door.database);

    const replies = [
      await send(key, { body: { name: 'mine' } }),
      await send(key, { body: { name: 'colleague' }, credential: colleague }),
      await send(key, { body: { name: 'stranger' }, credential: stranger }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(replies.some(({ headers }) => headers.has('idempotent-replayed'))).toBe(false);
  });

  it.each(['', 'a b', '"quoted"', 'é', '../x', 'a'.repeat(201), 'a,b', 'a\tb'])(
    'is refused before anything happens when the key is %p',
    async (key) => {
      const reply = await send(key, { body: { name: 'never' }, headers: {} });

      expect(outcome(reply)).toEqual([400, 'invalid_idempotency_key']);
      expect(await named('never')).toBe(0);
    },
  );

  it('takes a key of 200 letters, digits, dashes and underscores', async () => {
    const key = `aZ09_-${'k'.repeat(194)}`;

    expect((await send(key, { body: { name: 'long key' } })).status).toBe(201);
  });

  it('repeats a refusal too: the effect was undone, the answer stays', async () => {
    const reader = await aCredential(door.database, { scopes: ['contacts:read'] });
    const gone = '/api/v1/notes/team_01K00000000000000000000000/mark';
    const cases: [Sent, string][] = [
      [{ body: { name: 'refused' } }, 'invalid_state'],
      [{ body: { nam: 'typo' } }, 'validation'],
      [{ path: gone }, 'not_found'],
      [{ path: '/api/v1/notes/drafts' }, 'oauth_required'],
      [{ body: { name: 'x' }, credential: reader }, 'forbidden'],
    ];

    for (const [sent, code] of cases) {
      const key = freshKey();
      const first = await send(key, sent);
      const again = await send(key, sent);
      expect(first.body.error.code).toBe(code);
      expect(first.body.error.message).toMatch(/ new Idempotency-Key\.$/);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await named('refused')).toBe(0);
  });

  it('tells whoever sent something invalid that the correction needs a new key', async () => {
    const reply = await send(freshKey(), { body: {} });

    expect(reply.body.error.message).toBe(
      '1 field is not valid. Send the corrected request with a new Idempotency-Key.',
    );
  });

  it('runs again after an answer that settles nothing: 400, 401, 429, 5xx', async () => {
    const key = freshKey();

    const broken = await send(key, { body: { name: 'broken' } });
    const hurried = await send(key, { body: { name: 'hurried' } });
    const unreadable = await send(key, { body: '{' });
    const stranger = await door.api.call('POST', '/api/v1/notes', {
      key: `sk_live_${'0'.repeat(32)}`,
      headers: { 'idempotency-key': key },
      body: { name: 'at last' },
    });
    const done = await send(key, { body: { name: 'at last' } });

    expect([broken, hurried, unreadable, stranger, done].map(({ status }) => status)).toEqual([
      500, 429, 400, 401, 201,
    ]);
  });

  it('is forgotten 24 hours after the first answer, and not earlier', async () => {
    const key = freshKey();
    const body = { name: 'day' };
    const first = await send(key, { body });

    time.offsetMs = DAY_MS - 60_000;
    const before = await send(key, { body });
    time.offsetMs = DAY_MS + 60_000;
    const after = await send(key, { body: { name: 'next day' } });
    const repeated = await send(key, { body: { name: 'next day' } });
    time.offsetMs = 0;

    expect(before.text).toBe(first.text);
    expect(after.headers.has('idempotent-replayed')).toBe(false);
    expect([after.status, repeated.text]).toEqual([201, after.text]);
  });

  it('repeats a secret that was shown once, and keeps no readable copy of it', async () => {
    const key = freshKey();
    const note = (await send(freshKey(), { body: { name: 'locked' } })).body;
    const path = `/api/v1/notes/${note.id}/lock`;

    const first = await send(key, { path });
    const again = await send(key, { path });
    const stored = await inWorkspace(door.database, shop.organizationId, (sql) =>
      sql.rows<{ body: string }>('select body from idempotency_keys where key = $1', [key]),
    );

    expect(first.body.secret).toMatch(/^whsec_/);
    expect(again.text).toBe(first.text);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain('whsec_');
  });

  it('is read by nobody when nothing changes', async () => {
    const reply = await send('not a key', { method: 'GET' });

    expect(reply.status).toBe(200);
  });
});
