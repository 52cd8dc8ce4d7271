import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, sendRaw, serveApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';
import { eventually } from '../support/waiting.ts';

let door: OpenDoor;
let shop: Credential;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes });
  shop = await aCredential(door.database);
});

afterAll(() => door.close());

/** The status and error code that came back for these bytes. */
async function answer(bytes: string | Buffer, ms?: number, port = door.api.port): Promise<string> {
  const text = await sendRaw(port, bytes, ms);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'nothing';
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return code ? `${status} ${code}` : status;
}

const auth = (): string => `Authorization: Bearer ${shop.key}\r\n`;
const get = (path: string, lines = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n${auth()}${lines}\r\n`;
const list = '/api/v1/notes';

describe('the Host of a request', () => {
  it.each([
    ['two of them', 'Host: a\r\nHost: b\r\n'],
    ['twice the same', 'Host: a\r\nhost: a\r\n'],
    ['none', ''],
    ['an empty one', 'Host:\r\n'],
    ['with a user', 'Host: a@b\r\n'],
    ['with a path', 'Host: a/b\r\n'],
    ['with a space', 'Host: a b\r\n'],
    ['two in one', 'Host: good.com@evil.com:80\r\n'],
  ])('is refused: %s', async (_name, lines) => {
    expect(await answer(`GET ${list} HTTP/1.1\r\n${lines}Connection: close\r\n${auth()}\r\n`)).toBe(
      '400 bad_request',
    );
  });

  it.each(['localhost', 'api.test:3000', '127.0.0.1:80', '[::1]:3000'])(
    'may be %s',
    async (host) => {
      const head = `GET ${list} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${auth()}\r\n`;

      expect(await answer(head)).toBe('200');
    },
  );

  it('never reaches an answer: addresses are built from the configured base alone', async () => {
    const head = `GET /api/v1/x HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`;

    const text = await sendRaw(door.api.port, head);

    expect(text).toContain('http://api.test/docs/errors/unauthorized');
    expect(text).not.toContain('evil');
  });
});

describe('what is not proper HTTP/1.1', () => {
  it.each([
    ['HTTP/0.9', `GET ${list}\r\n\r\n`],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'two lengths',
      `POST ${list} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      `POST ${list} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown coding',
      `POST ${list} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n`,
    ],
    ['a space before the colon', `GET ${list} HTTP/1.1\r\nHost : a\r\n\r\n`],
    ['a folded header', `GET ${list} HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n`],
    ['NUL in a header', `GET ${list} HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n`],
    ['a lower-case method', `get ${list} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['line feeds alone', `GET ${list} HTTP/1.1\nHost: a\n\n`],
    ['noise', '\x16\x03\x01\x02\x00'],
  ])('is refused: %s', async (_name, bytes) => {
    expect(await answer(bytes)).toBe('400 bad_request');
  });

  it('is not a body in chunks without a byte, which is none', async () => {
    const chunked = (type: string): string =>
      `POST ${list} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${auth()}${type}Transfer-Encoding: chunked\r\n\r\n`;
    const json = 'Content-Type: application/json\r\n';

    const none = await answer(
      `${chunked('').replace('Transfer-Encoding: chunked', 'Content-Length: 0')}`,
    );

    expect(await answer(`${chunked('')}0\r\n\r\n`)).toBe(none);
    expect(await answer(`${chunked(json)}0\r\n\r\n`)).toBe(none);
    expect(await answer(`${chunked('')}2\r\n{}\r\n0\r\n\r\n`)).toBe('415 unsupported_media_type');
  });

  it('is answered in our own words, with a request id', async () => {
    const text = await sendRaw(door.api.port, 'noise\r\n\r\n');

    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toMatch(/X-Request-Id: req_[0-9A-Z]{26}\r\n/);
    expect(text).toContain('http://api.test/docs/errors/bad_request');
  });

  it.each([
    ['17 KB of headers', list, `X: ${'a'.repeat(17_000)}\r\n`],
    ['a URL of 17 KB', `/${'a'.repeat(17_000)}`, ''],
  ])('is too large: %s', async (_name, path, lines) => {
    expect(await answer(get(path, lines))).toBe('431 headers_too_large');
  });
});

describe('a method that a path does not have', () => {
  it.each(['PUT', 'DELETE', 'OPTIONS', 'TRACE'])(
    'is answered with those it has: %s',
    async (method) => {
      const text = await sendRaw(door.api.port, get(list).replace('GET', method));

      expect(text).toMatch(/^HTTP\/1\.1 405 /);
      expect(text).toContain('Allow: GET, HEAD, POST\r\n');
    },
  );

  it('is not implemented when nothing has it, and is never overridden by a header', async () => {
    const override = 'X-HTTP-Method-Override: DELETE\r\n';

    expect(await answer(get(list).replace('GET', 'PROPFIND'))).toBe('501 not_implemented');
    expect(await answer(get(list, override))).toBe('200');
  });

  it('opens no tunnel', async () => {
    expect(await answer('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toBe(
      'nothing',
    );
  });
});

describe('a path', () => {
  const id = 'team_01K00000000000000000000000';

  it.each([
    `${list}/`,
    `/${list}`,
    '/api/v1//notes',
    '/api/v1/notes/..%2fnotes',
    '/api/v1/../v1/notes',
    '/api/v1/NOTES',
    '/API/v1/notes',
    '/api/v1/notes/%00',
    `/api/v1/notes/${id}%00`,
    '/api/v1/notes/%E0%A4%A',
    "/api/v1/notes/'",
    '/api/v1/notes/a;--',
    `/api/v1/notes/${'a'.repeat(300)}`,
    `/api/v1/notes/${id.toLowerCase()}`,
    `/api/v1/notes/con_${id.slice(5)}`,
    '/api/v1/notes/:id',
    `/api/v1/notes/${id}/unknown`,
    '/api/v1',
    '/',
    '/api/v1/notes#x',
  ])('that names nothing is not found: %s', async (path) => {
    expect(await answer(get(path))).toBe('404 not_found');
  });

  it('may be written in full, as to a proxy', async () => {
    expect(await answer(get(`http://api.test${list}`))).toBe('200');
  });
});

describe('a slow or broken sender', () => {
  const post = (length: number, body: string): string =>
    `POST ${list} HTTP/1.1\r\nHost: a\r\n${auth()}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

  it('has 5 seconds for its headers and 10 for its body', async () => {
    const { port, close } = await serveApi(door.database, door.api.deps, false);
    const started = performance.now();
    const timed = async (bytes: string): Promise<[string, number]> => {
      const text = await answer(bytes, 80_000, port);
      return [text, performance.now() - started];
    };

    const [head, body] = await Promise.all([
      timed(`GET ${list} HTTP/1.1\r\nHost: a\r\nX: `),
      timed(post(50, '{"name":')),
    ]);
    await close();

    expect([head[0], body[0]]).toEqual(['408 request_timeout', '408 request_timeout']);
    expect(head[1]).toBeGreaterThan(4_500);
    expect(body[1]).toBeGreaterThan(9_500);
    expect(head[1]).toBeLessThan(body[1]);
  });

  it('holds no database connection while its body is on the way', async () => {
    const { reads, app } = door.database;
    const { key, keyId } = await aCredential(door.database);
    const letIn = (): Promise<{ total: number }[]> =>
      asSystem(door.database, (sql) =>
        sql.rows('select total from rate_windows where credential_id = $1', [keyId]),
      );
    const seen = Promise.withResolvers<void>();
    const half = post(50, '{"na').replace(shop.key, key);
    const slow = Array.from({ length: 40 }, () =>
      sendRaw(door.api.port, half, 60_000, seen.promise),
    );
    await eventually(async () => (await letIn())[0]?.total === 40);

    await eventually(
      () => reads.totalCount === reads.idleCount && app.totalCount === app.idleCount,
    );
    expect((await door.api.call('GET', list, { key: shop.key })).status).toBe(200);
    seen.resolve();
    await Promise.all(slow);
  });

  it('is cut off when it sends more than it said', async () => {
    expect(await answer(post(14, '{"name":"cut"}trailing'))).toBe('400 bad_request');
  });

  it('may ask before it sends', async () => {
    const head = post(14, '').replace(
      '\r\n\r\n',
      '\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
    );

    expect(await sendRaw(door.api.port, `${head}{"name":"ask"}`)).toMatch(
      /^HTTP\/1\.1 100 Continue/,
    );
  });

  it('gets at most 1,000 answers on one connection', async () => {
    const ask = (more = '') => `GET /nothing HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const many = ask().repeat(1_099) + ask('Connection: close\r\n');

    const text = await sendRaw(door.api.port, many, 60_000);

    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(1_000);
    expect(text.match(/HTTP\/1\.1 503/g)).toHaveLength(100);
  });
});
