import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { aCredential, type Credential, credentialFor } from '../support/credentials.ts';
import { addressOf, everyRoute, exampleBody, nameOf } from '../support/every-route.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
type Json = any;

const document: Json = openApiDocument(everyRoute, 'http://api.test');

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

/** The fields that the answer complains about. */
const complaints = ({ body }: Reply): string[] =>
  body?.error?.code === 'validation'
    ? body.error.details.map(({ path }: { path: string }) => path)
    : [];

async function complaintsOf(route: Route, field: string, value: unknown): Promise<string[]> {
  const reply = await door.api.call(route.method, addressOf(route, newId(route.id ?? 'con')), {
    key: credentialFor(route, credential),
    body: { ...(exampleBody(route) as object), [field]: value },
  });
  expect(reply.status).toBeLessThan(500);
  return complaints(reply);
}

/** One character that is two code units: lengths count characters (design decisions §0). */
const letters = (count: number): string => '😀'.repeat(count);
const id = (length: number): string => 'x'.repeat(length);
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `x_${n}`);
const phone = (length: number): string => `+55${' '.repeat(length - 14)}11987654321`;
const fields = (count: number): unknown[] =>
  Array.from({ length: count }, (_, n) => ({
    type: n === 0 ? 'phone' : 'text',
    label: `Campo ${n}`,
    required: true,
    save_to: n === 0 ? 'phone' : '',
    options: [],
  }));

/** Route, field, the least and the most that it takes, and how a value of a size is made. */
const LIMITS: readonly [string, string, number, number, (size: number) => unknown][] = [
  ['POST /v1/forms', 'title', 1, 120, letters],
  ['POST /v1/forms', 'fields', 1, 20, fields],
  ['PATCH /v1/numbers/{id}', 'name', 1, 60, letters],
  ['PATCH /v1/numbers/{id}', 'team_ids', 1, 100, ids],
  ['PATCH /v1/numbers/{id}', 'default_team_id', 1, 100, id],
  ['POST /v1/campaigns', 'name', 1, 80, letters],
  ['POST /v1/campaigns', 'text', 1, 4_096, letters],
  ['POST /v1/campaigns', 'number_id', 1, 100, id],
  ['POST /v1/campaigns', 'contact_ids', 1, 1_000, ids],
  ['POST /v1/conversations/{id}/transfer', 'team_id', 1, 100, id],
  ['POST /v1/conversations/{id}/transfer', 'member_id', 1, 100, id],
  ['PATCH /v1/contacts/{id}', 'name', 1, 200, letters],
  ['PATCH /v1/contacts/{id}', 'phone', 14, 40, phone],
  ['PATCH /v1/contacts/{id}', 'owner_id', 1, 100, id],
  ['POST /v1/webhooks', 'name', 1, 60, letters],
];

describe('the limits of the specification', () => {
  it.each(LIMITS)('%s takes a %s of %i and of %i, and nothing longer', async (...limit) => {
    const [name, field, least, most, of] = limit;
    const route = routeOf(name);

    for (const size of [least, most])
      expect([size, await complaintsOf(route, field, of(size))]).toEqual([size, []]);
    expect(new Set(await complaintsOf(route, field, of(most + 1)))).toEqual(new Set([field]));
    if (least === 1) expect((await complaintsOf(route, field, of(0)))[0]).toBe(field);
  });

  it('POST /v1/campaigns takes 1 to 100 group_ids, and no more', async () => {
    const route = routeOf('POST /v1/campaigns');
    const toGroups = { target: 'groups', contact_ids: [], text: 'Oi', pace: 10 };
    const ask = (group_ids: string[]): Promise<Reply> =>
      door.api.call('POST', '/api/v1/campaigns', {
        key: credential.key,
        body: { ...(exampleBody(route) as object), ...toGroups, group_ids },
      });

    expect(complaints(await ask(ids(100)))).toEqual([]);
    expect(complaints(await ask(ids(101)))).toEqual(['group_ids']);
    expect(complaints(await ask([]))).toEqual(['group_ids']);
  });
});

describe('a page', () => {
  it('has 50 records where no limit is given, and 100 at most', async () => {
    const full = await aCredential(door.database);
    await inWorkspace(door.database, full.organizationId, (sql) =>
      sql.rows(
        `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
         select wms.organization(), 'con_' || n, 'import', 'api', now(), now() from generate_series(1, 101) n`,
      ),
    );
    const count = async (query: string): Promise<number> => {
      const { body } = await door.api.call('GET', `/api/v1/contacts${query}`, { key: full.key });
      return body.data.length;
    };

    expect([await count(''), await count('?limit=1'), await count('?limit=100')]).toEqual([
      50, 1, 100,
    ]);
  });

  it.each(everyRoute.filter(({ kind }) => kind === 'list').map((route) => [nameOf(route)]))(
    'of %s has 50 records by default, as the document says',
    (name) => {
      const path = name.replace('GET ', '').replaceAll(/:(\w+)/g, '{$1}');
      const parameters = document.paths[path].get.parameters.map((one: Json) =>
        one.$ref ? document.components.parameters[one.$ref.split('/').at(-1)] : one,
      );
      const { schema } = parameters.find((one: Json) => one.name === 'limit');

      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 });
    },
  );
});

describe.each(['automation', 'numbers'])('the %s report', (report) => {
  const ask = (query: string): Promise<Reply> =>
    door.api.call('GET', `/api/v1/reports/${report}?${query}`, { key: credential.key });

  it.each(['number', 'team', 'agent', 'automation', 'campaign', 'pipeline'])(
    'takes a %s of 1 to 100 characters',
    async (filter) => {
      for (const length of [1, 100])
        expect((await ask(`${filter}=${id(length)}`)).status).toBe(200);
      for (const length of [0, 101]) {
        const reply = await ask(`${filter}=${id(length)}`);
        expect([reply.status, complaints(reply)]).toEqual([422, [filter]]);
      }
    },
  );
});
