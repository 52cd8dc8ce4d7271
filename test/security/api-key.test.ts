import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, type Reply, sendRaw, serveApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

let door: OpenDoor;
let shop: Credential;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes });
  shop = await aCredential(door.database);
});

afterAll(() => door.close());

const withHeader = (authorization: string): Promise<Reply> =>
  door.api.call('GET', '/api/v1/notes', { headers: { authorization } });

function expectUnauthorized(reply: Reply): void {
  expect([reply.status, reply.body.error.code]).toEqual([401, 'unauthorized']);
  expect(reply.headers.get('www-authenticate')).toMatch(
    /^Bearer (?:error="invalid_token", )?resource_metadata="http:\/\/api\.test\/\.well-known\/oauth-protected-resource\/api\/v1"$/,
  );
  expect(reply.headers.has('ratelimit')).toBe(false);
}

describe('a credential', () => {
  it.each([
    ['an empty header', ''],
    ['another scheme', 'Basic c2s6'],
    ['no token', 'Bearer'],
    ['no scheme', `sk_live_${'a'.repeat(32)}`],
    ['two spaces', `Bearer  sk_live_${'a'.repeat(32)}`],
    ['31 digits', `Bearer sk_live_${'a'.repeat(31)}`],
    ['33 digits', `Bearer sk_live_${'a'.repeat(33)}`],
    ['upper-case digits', `Bearer sk_live_${'A'.repeat(32)}`],
    ['no hexadecimal', `Bearer sk_live_${'g'.repeat(32)}`],
    ['another prefix', `Bearer sk_test_${'a'.repeat(32)}`],
    ['10 KB', `Bearer ${'a'.repeat(10_000)}`],
  ])('of a wrong shape is refused without asking the database: %s', async (_name, header) => {
    let asked = 0;
    const count = (): void => {
      asked += 1;
    };
    const pools = [door.database.reads, door.database.system];
    for (const pool of pools) pool.on('acquire', count);

    expectUnauthorized(await withHeader(header));
    expectUnauthorized(await withHeader(`Bearer sk_live_${'0'.repeat(32)}`));
    for (const pool of pools) pool.off('acquire', count);

    // The second, of a right shape, is the one that was looked up.
    expect(asked).toBe(1);
  });

  it('is needed', async () => {
    expectUnauthorized(await door.api.call('GET', '/api/v1/notes'));
  });

  it('is needed at the address of the API itself too, which is what tokens are for', async () => {
    expectUnauthorized(await door.api.call('GET', '/api/v1'));
    expectUnauthorized(await door.api.call('POST', '/api/v1?a=1', { body: {} }));
    const known = await door.api.call('GET', '/api/v1', { key: shop.key });
    const beside = await door.api.call('GET', '/api/v10');

    expect([known.status, beside.status]).toEqual([404, 404]);
  });

  it('that is no good is called so, and not to whoever brought none', async () => {
    const none = await door.api.call('GET', '/api/v1/notes');
    const other = await withHeader('Basic c2s6');
    const wrong = await withHeader(`Bearer sk_live_${'0'.repeat(32)}`);

    for (const reply of [none, other, wrong]) expectUnauthorized(reply);
    for (const reply of [none, other])
      expect(reply.headers.get('www-authenticate')).not.toContain('error');
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('is taken from the header alone: not from the query, a cookie or the body', async () => {
    const { key } = shop;

    expectUnauthorized(await door.api.call('GET', `/api/v1/notes?access_token=${key}`));
    expectUnauthorized(
      await door.api.call('GET', '/api/v1/notes', { headers: { cookie: `token=${key}` } }),
    );
    expectUnauthorized(
      await door.api.call('POST', '/api/v1/notes', { body: { access_token: key } }),
    );
  });

  it('is refused when it comes in two headers, whichever is good', async () => {
    const head = (lines: string): string =>
      `GET /api/v1/notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`;
    const good = `Authorization: Bearer ${shop.key}\r\n`;
    const bad = `authorization: Bearer sk_live_${'0'.repeat(32)}\r\n`;

    expect(await sendRaw(door.api.port, head(good))).toMatch(/^HTTP\/1.1 200/);
    expect(await sendRaw(door.api.port, head(good + bad))).toMatch(/^HTTP\/1.1 401/);
    expect(await sendRaw(door.api.port, head(bad + good))).toMatch(/^HTTP\/1.1 401/);
  });

  it('is accepted with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await withHeader(`${scheme} ${shop.key}`)).status).toBe(200);
  });

  it('is refused with any one digit changed', async () => {
    for (let at = 8; at < 40; at += 1) {
      const digit = shop.key[at] === '0' ? '1' : '0';
      const changed = shop.key.slice(0, at) + digit + shop.key.slice(at + 1);
      expectUnauthorized(await withHeader(`Bearer ${changed}`));
    }
  });

  it('ends at its expiry, by the database’s clock', async () => {
    const soon = await aCredential(door.database, { expiresAt: new Date(Date.now() + 3_600_000) });
    const past = await aCredential(door.database, { expiresAt: new Date(Date.now() - 1) });
    const expireIn = (time: string) =>
      inWorkspace(door.database, soon.organizationId, (sql) =>
        sql.rows('update api_keys set expires_at = now() + $2::interval where id = $1', [
          soon.keyId,
          time,
        ]),
      );

    expect((await withHeader(`Bearer ${soon.key}`)).status).toBe(200);
    expectUnauthorized(await withHeader(`Bearer ${past.key}`));
    await expireIn('1 minute');
    expect((await withHeader(`Bearer ${soon.key}`)).status).toBe(200);
    await expireIn('0.2 seconds');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expectUnauthorized(await withHeader(`Bearer ${soon.key}`));
  });

  it('is never accepted again once revoked, in any process, though requests are in flight', async () => {
    const doomed = await aCredential(door.database);
    const second = await serveApi(door.database, { routes: noteRoutes });
    const ask = (i: number): Promise<Reply> =>
      (i % 2 ? second : door.api).call('GET', '/api/v1/notes', { key: doomed.key });

    const inFlight = Array.from({ length: 50 }, (_, i) => ask(i));
    await inWorkspace(door.database, doomed.organizationId, (sql) =>
      sql.rows('update api_keys set revoked_at = now() where id = $1', [doomed.keyId]),
    );
    const late: Reply[] = [];
    for (let round = 0; round < 100; round++)
      late.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => ask(i)))));
    await Promise.all(inFlight);
    await second.close();

    expect(late.filter(({ status }) => status !== 401)).toEqual([]);
    expect(late).toHaveLength(1_000);
  });

  it('opens exactly the routes of its scopes, whatever else it has', async () => {
    for (const scope of SCOPE_NAMES) {
      const { key } = await aCredential(door.database, { scopes: [scope] });

      const read = await door.api.call('GET', '/api/v1/notes', { key });
      const write = await door.api.call('POST', '/api/v1/notes', { key, body: { name: scope } });

      expect([scope, read.status]).toEqual([scope, scope === 'contacts:read' ? 200 : 403]);
      expect([scope, write.status]).toEqual([scope, scope === 'contacts:write' ? 201 : 403]);
    }
  });

  it('names the scope it lacks', async () => {
    const { key } = await aCredential(door.database, { scopes: ['contacts:write'] });

    const reply = await door.api.call('GET', '/api/v1/notes', { key });

    expect(reply.body.error).toMatchObject({
      code: 'forbidden',
      details: { scope: 'contacts:read' },
    });
  });

  it('never opens what only an app acting for a person may do', async () => {
    const reply = await door.api.call('POST', '/api/v1/notes/drafts', { key: shop.key });

    expect([reply.status, reply.body.error.code]).toEqual([403, 'oauth_required']);
  });

  it('is remembered as used, and stored nowhere', async () => {
    await withHeader(`Bearer ${shop.key}`);

    const rows = await asSystem(door.database, (sql) =>
      sql.rows<{ last_used_at: Date; last_used_ip: string }>(
        'select * from api_keys where id = $1',
        [shop.keyId],
      ),
    );

    expect(rows[0]?.last_used_at).toBeInstanceOf(Date);
    expect(rows[0]?.last_used_ip).toBe('127.0.0.1');
    expect(JSON.stringify(rows)).not.toContain(shop.key.slice(12));
  });
});
