import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guard } from '../../src/http/guard.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { addTeam } from '../../src/members/teams.ts';
import { newSegmentBody } from '../../src/segments/schema.ts';
import { aCredential, type Credential, credentialFor } from '../support/credentials.ts';
import { addressOf, everyRoute, exampleBody, nameOf } from '../support/every-route.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

let door: OpenDoor;
let credential: Credential;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  credential = await aCredential(door.database);
});
afterAll(() => door.close());

function routeOf(name: string): Route {
  const route = everyRoute.find((one) => nameOf(one) === name.replace('{id}', ':id'));
  if (!route) throw new TypeError(`no route ${name}`);
  return route;
}

/** What the service says of a request whose only mistake may be this field. */
async function problemsOf(name: string, field: string, value: unknown): Promise<unknown[]> {
  const route = routeOf(name);
  const { status, body } = await door.api.call(
    route.method,
    addressOf(route, newId(route.id ?? 'con')),
    {
      key: credentialFor(route, credential),
      body: { ...(exampleBody(route) as object), [field]: value },
    },
  );
  expect([status, body.error.code]).toEqual([422, 'validation']);
  return body.error.details;
}

const WORDS: readonly [string, string][] = [
  ['POST /v1/contacts', 'name'],
  ['PATCH /v1/contacts/{id}', 'name'],
  ['POST /v1/campaigns', 'name'],
  ['POST /v1/campaigns', 'text'],
  ['PATCH /v1/campaigns/{id}', 'name'],
  ['POST /v1/reminders', 'title'],
  ['POST /v1/reminders', 'text'],
  ['POST /v1/automations', 'name'],
  ['POST /v1/webhooks', 'name'],
  ['PATCH /v1/numbers/{id}', 'name'],
  ['POST /v1/messages', 'text'],
  ['POST /v1/conversations/{id}/messages', 'text'],
  ['POST /v1/deals', 'title'],
  ['PATCH /v1/deals/{id}', 'title'],
  ['POST /v1/forms', 'title'],
];

describe('words that people read', () => {
  it.each(WORDS)('of %s are refused as its %s when they are blanks only', async (name, field) => {
    expect(await problemsOf(name, field, ' \t\n\u00a0\u200b\u2800\u3164')).toEqual([
      { path: field, rule: 'min_length', limit: 1, message: 'Must not be blank.' },
    ]);
  });

  it('name no segment with blanks only', () => {
    const segment = { name: ' \u2003', rules: { match: 'all', conditions: [] } };

    expect(() => guard(newSegmentBody, segment)).toThrow(
      expect.objectContaining({
        details: expect.arrayContaining([
          expect.objectContaining({ path: 'name', rule: 'min_length', limit: 1 }),
        ]),
      }),
    );
  });

  it('name no team with blanks only', async () => {
    const { ctx } = await aWorkspace(door.database);

    await expect(addTeam(ctx, '  \n ')).rejects.toMatchObject({
      code: 'validation',
      details: [{ path: 'name', rule: 'min_length', message: 'Must not be empty.' }],
    });
  });
});

const MALFORMED: readonly [string, string, unknown][] = [
  ['POST /v1/contacts', 'phone', 'x'.repeat(60)],
  ['PATCH /v1/contacts/{id}', 'phone', '9'.repeat(60)],
  ['POST /v1/contacts', 'birth_date', '2026-02-30'],
  ['POST /v1/contacts', 'time_zone', ''],
  ['POST /v1/reminders', 'phone', ''],
  ['POST /v1/reminders', 'date', '0000-99-99'],
  ['POST /v1/reminders', 'ends_on', 'tomorrow'],
  ['POST /v1/reminders', 'time', ''],
];

describe('a field with several mistakes', () => {
  it.each(MALFORMED)('of %s is named once: %s', async (name, field, value) => {
    expect(await problemsOf(name, field, value)).toMatchObject([{ path: field }]);
  });

  it('is named once in a query too', async () => {
    for (const query of [
      'phone=%2B',
      'updated_since=0000-nonsense',
      'updated_since=0000-01-01T00:00:00Z',
    ]) {
      const reply = await door.api.call('GET', `/api/v1/contacts?${query}`, {
        key: credential.key,
      });
      const [path] = query.split('=');
      expect([reply.status, reply.body.error.details]).toMatchObject([422, [{ path }]]);
    }
  });
});
