import { beforeEach, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { errorCodes } from '../../src/http/openapi/refusals.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { aCredential, type Credential, credentialFor } from '../support/credentials.ts';
import { addressOf, everyRoute, exampleBody, nameOf, sendable } from '../support/every-route.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openDoor({ routes: everyRoute }));
let credential: Credential;

// A key has 600 requests a minute: each test brings its own.
beforeEach(async () => {
  credential = await aCredential(door.database);
});

const someAddress = (route: Route): string => addressOf(route, newId(route.id ?? 'con'));

const ask = (route: Route, body: unknown, path = someAddress(route)): Promise<Reply> =>
  door.api.call(route.method, path, {
    key: credentialFor(route, credential),
    body: sendable(route, body),
  });

/** A refusal in the documented shape, by a code that the route's description names. */
function expectDocumented(route: Route, reply: Reply): void {
  if (reply.status < 300) return;
  expect(errorCodes(route)).toContain(reply.body.error.code);
  expect(reply.status).toBeLessThan(500);
  expect(reply.body.error.request_id).toBe(reply.headers.get('x-request-id'));
}

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  '',
  ' ',
  'a'.repeat(5_000),
  "';--",
  '\u202E👨‍👩‍👧',
  '2026-02-30',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  [],
  [[]],
  {},
  { toString: 1 },
  Array(2_000).fill('x'),
];

interface Mutation {
  readonly field: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The example body with one field replaced, for each that the route knows and each replacement. */
const mutations = (route: Write): Mutation[] =>
  Object.keys(route.body?.shape ?? {}).flatMap((field) =>
    HOSTILE.map((value) => ({
      field,
      body: { ...(exampleBody(route) as object), [field]: value },
    })),
  );

/** Whether a problem is named at the field itself or at something within it. */
const within = (field: string, path: string): boolean =>
  path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);

const named = everyRoute.map((route) => [nameOf(route), route] as const);
type Write = Extract<Route, { kind: 'write' }>;
const writes = everyRoute.filter((route): route is Write => route.kind === 'write');

describe.each(named)('%s', (_, route) => {
  it('shows an example that it would itself answer and take', () => {
    const { response } = route.example;
    const isPage =
      route.kind === 'list' &&
      typeof response === 'object' &&
      response !== null &&
      'data' in response;
    const shown = isPage ? (response as { data: unknown[] }).data : [response];

    for (const one of shown) (route.kind === 'list' ? route.item : route.reply).parse(one);
    if (route.kind === 'write' && route.body) route.body.parse(exampleBody(route));
  });

  it('refuses an unknown parameter, and an id of another shape as one that names nothing', async () => {
    const strange = await ask(route, exampleBody(route), `${someAddress(route)}?surprise=1`);
    expect(strange.status).toBe(422);
    expect(strange.body.error.details).toMatchObject([
      { path: 'surprise', rule: 'unknown_parameter' },
    ]);

    if (!route.id) return;
    const reply = await ask(route, exampleBody(route), addressOf(route, newId('req')));
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);

    if (!route.part) return;
    const part = addressOf(route, newId(route.id), newId('req'));
    const toPart = await ask(route, exampleBody(route), part);
    expect([toPart.status, toPart.body.error.code]).toEqual([404, 'not_found']);
  });
});

describe.each(writes.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  it('answers any value in any field with success or a documented refusal', async () => {
    for (const { field, body } of mutations(route)) {
      const reply = await ask(route, body);
      expectDocumented(route, reply);
      // The fields of a form arrive as text: what they were made of is not what the route reads.
      if (route.file || route.body?.safeParse(body).success !== false) continue;
      expect([field, reply.status, reply.body.error.code]).toEqual([field, 422, 'validation']);
      const paths = reply.body.error.details.map(({ path }: { path: string }) => path);
      expect([field, paths.filter((path: string) => within(field, path))]).not.toEqual([field, []]);
    }
  });

  it('names each field that is missing', async () => {
    const example = exampleBody(route);
    const needed = Object.entries(route.body?.shape ?? {}).filter(
      ([, field]) => !(field as z.ZodType).safeParse(undefined).success,
    );

    for (const [path] of needed) {
      const { [path]: _, ...rest } = example as Record<string, unknown>;
      const reply = await ask(route, rest);
      expect(reply.status).toBe(422);
      expect(reply.body.error.details).toContainEqual(
        expect.objectContaining({ path, rule: 'required' }),
      );
    }
  });

  it('refuses what is not JSON, and a text with half a character in it', async () => {
    const unreadable = ['{', '[]', 'null', '{"a":"\\u0000"}', '{"a":"\\ud800"}', '{"a":1e400}'];

    for (const body of route.file ? [] : unreadable) {
      const reply = await ask(route, body);
      expect([body, reply.status, reply.body.error.code]).toEqual([body, 400, 'bad_request']);
    }
  });

  it('names a field it does not have', async () => {
    const example = exampleBody(route);
    const reply = await ask(route, {
      ...(typeof example === 'object' ? example : {}),
      organization_id: 'x',
    });

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toContainEqual(
      expect.objectContaining({
        path: 'organization_id',
        rule: 'unknown_field',
        message: 'There is no such field.',
      }),
    );
  });

  it('repeats its first answer to an Idempotency-Key, and refuses the key for anything else', async () => {
    const path = someAddress(route);
    const send = (body: unknown): Promise<Reply> =>
      door.api.call(route.method, path, {
        key: credentialFor(route, credential),
        body: sendable(route, body),
        headers: { 'idempotency-key': 'once' },
      });

    const first = await send(exampleBody(route));
    const again = await send(exampleBody(route));
    const other = await send({ other: true });

    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(other.body.error.code).toBe('idempotency_mismatch');
  });
});

describe('the description of the whole API', () => {
  it('names each operation once', () => {
    const names = everyRoute.map(({ operationId }) => operationId);
    const document = openApiDocument(everyRoute, 'https://api.example.com');

    expect(new Set(names).size).toBe(names.length);
    expect(JSON.stringify(document)).toContain('"/v1/contacts/{id}"');
  });
});
