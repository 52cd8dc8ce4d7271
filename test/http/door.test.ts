import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, sendRaw, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

let door: OpenDoor;
let api: TestApi;
let shop: Credential;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes });
  api = door.api;
  shop = await aCredential(door.database);
});

afterAll(() => door.close());

describe('a call of the API', () => {
  it('creates, reads, changes and lists what belongs to the workspace of its key', async () => {
    const { key } = shop;

    const created = await api.call('POST', '/api/v1/notes', { key, body: { name: 'one' } });
    const path = `/api/v1/notes/${created.body.id}`;
    const renamed = await api.call('PATCH', path, { key, body: { name: 'two' } });
    const found = await api.call('GET', path, { key });
    const listed = await api.call('GET', '/api/v1/notes', { key });

    expect(created.status).toBe(201);
    expect(renamed.body).toEqual({ ...created.body, name: 'two' });
    expect(found.body).toEqual(renamed.body);
    expect(listed.body).toEqual({ data: [found.body], next_cursor: null });
  });

  it('answers the same missing record for another workspace as for an id that never was', async () => {
    const other = await aCredential(door.database);
    const foreign = await api.call('POST', '/api/v1/notes', {
      key: other.key,
      body: { name: 'x' },
    });
    const strip = (text: string): string => text.replace(/req_\w+/, '');

    const [theirs, nobodys] = await Promise.all([
      api.call('GET', `/api/v1/notes/${foreign.body.id}`, { key: shop.key }),
      api.call('GET', '/api/v1/notes/team_01K00000000000000000000000', { key: shop.key }),
    ]);

    expect(theirs.status).toBe(404);
    expect(strip(theirs.text)).toBe(strip(nobodys.text));
  });

  it('names itself: one request id in header and body, never the caller’s', async () => {
    const headers = { 'x-request-id': 'mine' };

    const refused = await api.call('GET', '/api/v1/notes?limit=0', { key: shop.key, headers });
    const served = await api.call('GET', '/api/v1/notes', { key: shop.key, headers });

    expect(refused.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(refused.body.error.request_id).toBe(refused.headers.get('x-request-id'));
    expect(served.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
  });

  it('carries the security headers, never CORS, and HSTS only where the base URL is https', async () => {
    const secure = await serveApi(door.database, { routes: noteRoutes, baseUrl: 'https://a.test' });
    const headers = { origin: 'https://evil.example' };

    const plain = await api.call('GET', '/api/v1/notes', { key: shop.key, headers });
    const https = await secure.call('GET', '/api/v1/notes', { key: shop.key });
    await secure.close();

    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'ratelimit-policy': '"default";q=600;w=60',
    });
    expect(plain.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
    expect(plain.headers.has('access-control-allow-origin')).toBe(false);
    expect(plain.headers.has('strict-transport-security')).toBe(false);
    expect(https.headers.get('strict-transport-security')).toContain('max-age=');
  });

  it('refuses in a fixed order: credential, address, method, scope, form, shape, id', async () => {
    const reader = await aCredential(door.database, { scopes: ['contacts:read'] });
    const ask = async (method: string, path: string, key?: string, body?: unknown) =>
      (await api.call(method, path, { key, body })).body.error.code;

    expect(await ask('GET', '/api/v1/nothing')).toBe('unauthorized');
    expect(await ask('PUT', '/api/v1/notes')).toBe('unauthorized');
    expect(await ask('GET', '/api/v1/nothing', reader.key)).toBe('not_found');
    expect(await ask('PUT', '/api/v1/notes', reader.key)).toBe('method_not_allowed');
    expect(await ask('POST', '/api/v1/notes', reader.key, '{')).toBe('forbidden');
    expect(await ask('POST', '/api/v1/notes', shop.key, '{')).toBe('bad_request');
    expect(await ask('POST', '/api/v1/notes', reader.key, { wrong: 1 })).toBe('forbidden');
    expect(await ask('PATCH', '/api/v1/notes/x', shop.key, { wrong: 1 })).toBe('validation');
    expect(await ask('PATCH', '/api/v1/notes/x', shop.key, { name: 'a' })).toBe('not_found');
  });

  it('calls what cannot be an id a record that is not there, as a placeholder that was left in its path', async () => {
    for (const left of ['{id}', 'team_…', 'x']) {
      const path = `/api/v1/notes/${encodeURIComponent(left)}`;
      const reply = await api.call('GET', path, { key: shop.key });

      expect([left, reply.status, reply.body.error.message]).toEqual([
        left,
        404,
        'No such record.',
      ]);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    const reply = await api.call('HEAD', '/api/v1/notes', { key: shop.key });

    expect(reply.status).toBe(200);
    expect(reply.text).toBe('');
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0);
  });

  it('keeps what a secret detail of ours was to itself, and undoes what had begun', async () => {
    const reply = await api.call('POST', '/api/v1/notes', {
      key: shop.key,
      body: { name: 'broken' },
    });
    const left = await api.call('GET', '/api/v1/notes?name=broken', { key: shop.key });

    expect(reply.status).toBe(500);
    expect(reply.body.error).toEqual({
      code: 'internal',
      message: 'Something went wrong on our side.',
      request_id: reply.headers.get('x-request-id'),
      doc_url: 'http://api.test/docs/errors/internal',
    });
    expect(left.body.data).toEqual([]);
  });

  it('speaks RFC 9457 to those who ask for it', async () => {
    const headers = { accept: 'application/problem+json' };

    const reply = await api.call('GET', '/api/v1/notes?limit=0', { key: shop.key, headers });

    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.body).toEqual({
      type: 'http://api.test/docs/errors/validation',
      title: 'validation',
      status: 422,
      detail: '1 field is not valid.',
      code: 'validation',
      request_id: reply.headers.get('x-request-id'),
      errors: [{ path: 'limit', rule: 'min', limit: 1, message: 'Must be from 1 to 100.' }],
    });
  });

  it.each([
    ['application/json, Application/Problem+JSON; q=0.5', 'application/problem+json'],
    ['application/problem+json;q=0', 'application/json; charset=utf-8'],
    ['*/*, application/problem+json; Q=0.000', 'application/json; charset=utf-8'],
    ['application/problem+json-seq, x/application/problem+json', 'application/json; charset=utf-8'],
  ])('reads who asks for it from Accept: %s is answered as %s', async (accept, type) => {
    const reply = await api.call('GET', '/api/v1/nothing', { key: shop.key, headers: { accept } });

    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, type]);
  });

  it('names itself also to whoever expects what nobody knows, and is answered as ever', async () => {
    const { key } = shop;
    const text = await sendRaw(
      api.port,
      `GET /api/v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n`,
    );

    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toMatch(/\r\nX-Request-Id: req_\w{26}\r\n/);
  });

  it('says conflict when a unique value is taken and no service foresaw it', async () => {
    const body = { name: 'taken' };
    await api.call('POST', '/api/v1/notes', { key: shop.key, body });

    const again = await api.call('POST', '/api/v1/notes', { key: shop.key, body });

    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect(again.text).not.toMatch(/teams_name|constraint|duplicate key/);
  });
});
