import { describe, expect, it } from '@jest/globals';
import { errorCodes } from '../../src/http/openapi/refusals.ts';
import type { Route } from '../../src/http/route.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { addressOf, everyRoute, nameOf, unknownId } from '../support/every-route.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';

let credential: Credential;
let asked = 0;

const door = opened(() => openDoor({ routes: everyRoute }));

async function ask(route: Route, query: string): Promise<Reply> {
  // A key has 600 requests a minute.
  if (asked % 500 === 0) credential = await aCredential(door.database);
  asked += 1;
  const address = addressOf(route, route.id ? unknownId(route) : '');
  return door.api.call('GET', `${address}?${query}`, { key: credential.key });
}

const outcome = ({ status, body }: Reply): unknown => [status, body?.error?.code];
const lists = everyRoute.filter((route) => route.kind === 'list');
const named = (routes: readonly Route[]) => routes.map((route) => [nameOf(route), route] as const);

const UNREADABLE = ['-1', '1e2', '0x10', '%205%20', '', '%D9%A5', '5.0', '+5', '1&limit=2'];
const FORGED = [
  '',
  'x',
  'v1',
  'v1..',
  'v1.eyJpZCI6ImNvbl8wMSJ9.c2lnbmF0dXJl',
  'v2.WyJjb25fMDEiLG51bGxd.c2lnbmF0dXJl',
  'eyJpZCI6Iicgb3IgMT0xIn0',
  'v1.WyInIG9yIDE9MSIsbnVsbF0.AAAA',
  'a'.repeat(10_000),
];
const HOSTILE = [
  '',
  '%20',
  '-1',
  '1e400',
  'null',
  'true',
  '%27%3B--',
  '%25_%5C',
  '*',
  '%F0%9F%91%A8',
  'a'.repeat(5_000),
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '__proto__',
  '[]',
];

describe.each(named(lists))('%s', (_, route) => {
  it('reads a limit of digits from 1 to 100, and no other spelling', async () => {
    for (const limit of UNREADABLE)
      expect([limit, outcome(await ask(route, `limit=${limit}`))]).toEqual([
        limit,
        [400, 'bad_request'],
      ]);
    for (const limit of ['0', '101', '1000']) {
      const reply = await ask(route, `limit=${limit}`);
      expect(outcome(reply)).toEqual([422, 'validation']);
      expect(reply.body.error.details).toMatchObject([{ path: 'limit' }]);
    }
  });

  it('refuses every forged cursor', async () => {
    for (const cursor of FORGED)
      expect([cursor, outcome(await ask(route, `cursor=${cursor}`))]).toEqual([
        cursor,
        [400, 'invalid_cursor'],
      ]);
  });
});

const filtered = everyRoute.filter(
  (route) => route.kind !== 'write' && Object.keys(route.query?.shape ?? {}).length > 0,
);
describe.each(named(filtered))('%s', (_, route) => {
  const names = route.kind === 'write' ? [] : Object.keys(route.query?.shape ?? {});
  it.each(names)('answers any value of %s with success or a documented refusal', async (name) => {
    for (const value of HOSTILE) {
      const reply = await ask(route, `${name}=${value}`);
      if (reply.status === 200) continue;
      expect([value, reply.status < 500]).toEqual([value, true]);
      expect(errorCodes(route)).toContain(reply.body.error.code);
      if (reply.status === 422 && reply.body.error.code === 'validation')
        expect(reply.body.error.details[0].path).toBe(name);
    }
  });

  it('refuses a parameter that is given twice', async () => {
    const [name] = names;
    const reply = await ask(route, `${name}=a&${name}=b`);

    expect(outcome(reply)).toEqual([400, 'bad_request']);
  });
});
