import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Existing, type Route, upload, write } from '../../src/http/route.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { type OpenDoor, openDoor, type Reply, sendRaw } from '../support/http.ts';
import { eventually } from '../support/waiting.ts';

const MAX_BYTES = 3 * 1024 * 1024;
const kept = z.strictObject({
  name: z.string(),
  type: z.string(),
  size: z.int(),
  sha256: z.string(),
  pieces: z.int(),
  kind: z.string(),
});

let handled = 0;
const routes: readonly Route[] = [
  upload({
    path: '/v1/files',
    operationId: 'keepFile',
    summary: 'Keep a file',
    tag: 'Files',
    scope: 'contacts:write',
    body: z.strictObject({ kind: z.enum(['long', 'short']).default('short') }),
    file: { maxBytes: MAX_BYTES },
    reply: kept,
    status: 201,
    example: {
      response: {
        name: 'a.txt',
        type: 'text/plain',
        size: 1,
        sha256: '',
        pieces: 1,
        kind: 'short',
      },
    },
    handle: async (_, { body, file }) => {
      handled += 1;
      const hash = createHash('sha256');
      let pieces = 0;
      for await (const piece of file.pieces(1024 * 1024)) {
        hash.update(piece);
        pieces += 1;
      }
      const { name, type, size } = file;
      return { name, type, size, sha256: hash.digest('hex'), pieces, kind: body.kind };
    },
  }),
  write({
    method: 'POST',
    path: '/v1/names',
    operationId: 'keepName',
    summary: 'Keep a name',
    tag: 'Files',
    scope: 'contacts:write',
    body: z.strictObject({ name: z.string() }),
    reply: z.strictObject({ name: z.string() }),
    status: 201,
    existing: 'The name is kept already.',
    example: { request: { name: 'a' }, response: { name: 'a' } },
    handle: async (_, { body }) => (body.name === 'known' ? new Existing(body) : body),
  }),
];

let door: OpenDoor;
let shop: Credential;

beforeAll(async () => {
  door = await openDoor({ routes });
  shop = await aCredential(door.database);
});

afterAll(() => door.close());

interface Sent {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly name?: string;
  readonly part?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ bytes, name = 'a.txt', part = 'file', fields = {}, headers }: Sent) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (bytes) form.append(part, new Blob([bytes], { type: 'text/plain' }), name);
  const response = await fetch(`${door.api.url}/api/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const outcome = ({ status, body }: Pick<Reply, 'status' | 'body'>): string =>
  `${status} ${body.error?.code}`;

const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);
const spooled = (): string[] => readdirSync(tmpdir()).filter((name) => /^wms-upload-/.test(name));

/** A form that breaks off in the middle of its file. */
const half = (): string =>
  `POST /api/v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: 999\r\n\r\n--a\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf`;

describe('a form with a file', () => {
  it('arrives byte by byte as it was sent, in pieces, with the fields beside it', async () => {
    const bytes = new Uint8Array(2.5 * 1024 * 1024).map((_, i) => i % 251);

    const reply = await send({ bytes, fields: { kind: 'long' } });

    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      name: 'a.txt',
      type: 'text/plain',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      pieces: 3,
      kind: 'long',
    });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\x\\virus.exe', 'virus.exe'],
    ['fatura\u202Egpj.exe', 'faturagpj.exe'],
    ['relatório 2026.pdf', 'relatório 2026.pdf'],
    [`${'n'.repeat(300)}.pdf`, `${'n'.repeat(196)}.pdf`],
  ])('keeps of the name %p what can be shown: %p', async (name, shown) => {
    expect((await send({ bytes: text('x'), name })).body.name).toBe(shown);
  });

  it('may be empty', async () => {
    expect((await send({ bytes: text('') })).body).toMatchObject({ size: 0, pieces: 0 });
  });

  it('is refused over the limit, whether the sender says so before or not', async () => {
    const over = new Uint8Array(MAX_BYTES + 1);
    const far = new Uint8Array(MAX_BYTES * 2);

    expect([outcome(await send({ bytes: over })), outcome(await send({ bytes: far }))]).toEqual([
      '413 payload_too_large',
      '413 payload_too_large',
    ]);
  });

  it.each<[string, Sent, string]>([
    ['without a file', {}, '422 validation'],
    ['with the file in another part', { bytes: text('x'), part: 'data' }, '400 bad_request'],
    ['with an unknown field', { bytes: text('x'), fields: { x: '1' } }, '422 validation'],
    [
      'with a value that does not fit',
      { bytes: text('x'), fields: { kind: 'x' } },
      '422 validation',
    ],
    ['with NUL in a field', { bytes: text('x'), fields: { kind: '\0' } }, '400 bad_request'],
    [
      'compressed',
      { bytes: text('x'), headers: { 'content-encoding': 'gzip' } },
      '415 unsupported_media_type',
    ],
  ])('is refused %s', async (_, sent, expected) => {
    expect(outcome(await send(sent))).toBe(expected);
  });

  it.each([
    ['application/json', '{}', '415 unsupported_media_type'],
    ['multipart/form-data', 'x', '415 unsupported_media_type'],
    ['multipart/form-data; boundary=', 'x', '400 bad_request'],
    ['multipart/form-data; boundary=a', 'nothing', '400 bad_request'],
    [
      'multipart/form-data; boundary=a',
      '--a\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ncut',
      '400 bad_request',
    ],
  ])('is refused as %s holding %j', async (type, body, expected) => {
    const headers = { 'content-type': type };
    const reply = await door.api.call('POST', '/api/v1/files', { key: shop.key, body, headers });

    expect(outcome(reply)).toBe(expected);
  });

  it('is handled once for an Idempotency-Key, by what the file holds', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    handled = 0;

    const first = await send({ bytes: text('same'), headers });
    const again = await send({ bytes: text('same'), headers });
    const other = await send({ bytes: text('other'), headers });

    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(outcome(other)).toBe('422 idempotency_mismatch');
    expect(handled).toBe(1);
  });

  it('comes four at once from one sender, so that slow ones take nobody else\u2019s place', async () => {
    const other = await aCredential(door.database);
    const done = Promise.withResolvers<void>();
    const aSlowOne = (): Promise<unknown> => sendRaw(door.api.port, half(), 60_000, done.promise);
    const slow = Array.from({ length: 4 }, aSlowOne);
    let fifth = await send({ bytes: text('a') });
    // Until four slow ones have arrived, for whichever meets the question on its way is refused itself; seldom enough
    // not to use up the requests of a minute.
    for (let tries = 0; tries < 100 && fifth.status === 201; tries += 1) {
      slow.push(aSlowOne());
      await sleep(200);
      fifth = await send({ bytes: text('a') });
    }
    const theirs = await send({
      bytes: text('a'),
      headers: { authorization: `Bearer ${other.key}` },
    });
    done.resolve();
    await Promise.all(slow);

    expect([outcome(fifth), fifth.headers.get('retry-after')]).toEqual(['429 rate_limited', '1']);
    expect(theirs.status).toBe(201);
    expect((await send({ bytes: text('a') })).status).toBe(201);
  });

  it('leaves nothing on the disk, whatever became of it', async () => {
    await send({ bytes: text('kept') });
    await send({ bytes: new Uint8Array(MAX_BYTES + 1) });
    await sendRaw(door.api.port, half(), 200);

    await eventually(() => spooled().length === 0);
    expect((await send({ bytes: text('and goes on') })).status).toBe(201);
  });
});

describe('a call that found done what it was asked for', () => {
  it('answers 200 where doing it is 201', async () => {
    const call = (name: string): Promise<Reply> =>
      door.api.call('POST', '/api/v1/names', { key: shop.key, body: { name } });

    expect([(await call('new')).status, (await call('known')).status]).toEqual([201, 200]);
    expect((await call('known')).body).toEqual({ name: 'known' });
  });
});
