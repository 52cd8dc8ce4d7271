import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { switchTenantFilter } from '../../src/db/tenant.ts';
import type { Route } from '../../src/http/route.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { bodyWith, comparable, FIELD_KINDS, idFields, idFilters } from '../support/bodies.ts';
import { credentialFor } from '../support/credentials.ts';
import {
  addressOf,
  everyRoute,
  idPrefix,
  nameOf,
  sendable,
  unknownId,
} from '../support/every-route.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aFullWorkspace, type FullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;
let theirs: FullWorkspace;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ours = await aFullWorkspace(door.database, door.api);
  theirs = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

const TABLES = [
  'automations',
  'automation_runs',
  'forms',
  'form_submissions',
  'contacts',
  'contact_imports',
  'contact_import_rows',
  'opt_outs',
  'campaigns',
  'conversations',
  'messages',
  'conversation_activities',
  'outgoing_messages',
  'groups',
  'media',
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_attempts',
  'events',
  'numbers',
  'number_teams',
  'members',
  'teams',
  'team_members',
  'pipelines',
  'stages',
  'deals',
  'reminders',
  'segments',
  'facts',
  'audit_entries',
];

/** Every row of the other workspace, as text: whatever changes there is found. */
async function everythingOf({ ctx }: FullWorkspace): Promise<string> {
  return inWorkspace(door.database, ctx.organizationId, async (sql) => {
    const rows: unknown[] = [];
    for (const table of TABLES)
      rows.push(await sql.rows(`select t::text from ${table} t order by 1`));
    return JSON.stringify(rows);
  });
}

/** Reports name the moment of their data. */
const withoutTime = (text: string): string => text.replaceAll(/"now":"[^"]*"/g, '"now":""');

const call = (
  route: Route,
  id: string,
  body = bodyWith(route, ours),
  partId = route.part && theirs.ids[route.part],
): Promise<Reply> =>
  door.api.call(route.method, addressOf(route, id, partId), {
    key: credentialFor(route, ours),
    body: sendable(route, body),
  });

function eachIsolationCase(): void {
  const withId = everyRoute.filter((route) => route.id);
  it.each(withId.map((route) => [nameOf(route), route] as const))(
    "%s answers the other workspace's record exactly like one that never was",
    async (_, route) => {
      const foreign = theirs.ids[idPrefix(route)] ?? '';
      const unknown = unknownId(route);
      const before = await everythingOf(theirs);

      const [toForeign, toUnknown] = [await call(route, foreign), await call(route, unknown)];

      expect(foreign).not.toBe('');
      expect(toForeign.status).toBe(404);
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect(await everythingOf(theirs)).toBe(before);
    },
  );

  const withPart = everyRoute.filter((route) => route.part);
  it.each(withPart.map((route) => [nameOf(route), route] as const))(
    "%s answers the other workspace's part under a record of ours like one that never was",
    async (_, route) => {
      const [own, part] = [ours.ids[idPrefix(route)] ?? '', route.part ?? 'dlv'];
      const [foreign, unknown] = [theirs.ids[part] ?? '', newId(part)];
      const before = await everythingOf(theirs);

      const [toForeign, toUnknown] = [
        await call(route, own, undefined, foreign),
        await call(route, own, undefined, unknown),
      ];

      expect(foreign).not.toBe('');
      expect(toForeign.status).toBe(404);
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect(await everythingOf(theirs)).toBe(before);
    },
  );

  const withBodyIds = everyRoute.flatMap((route) =>
    idFields(route).map((field) => [nameOf(route), field, route] as const),
  );
  it.each(withBodyIds)(
    "%s refuses the other workspace's record in %s like an unknown one, and changes nothing",
    async (_, field, route) => {
      const kind = FIELD_KINDS[field] ?? 'con';
      const id = route.id ? (ours.ids[route.id] ?? '') : '';
      const list = field.endsWith('_ids');
      const [foreign, unknown] = [theirs.ids[kind] ?? '', newId(kind)];
      const before = [await everythingOf(ours), await everythingOf(theirs)];

      const answers: Reply[] = [];
      for (const other of [foreign, unknown]) {
        const value = list ? [ours.ids[kind], other] : other;
        answers.push(await call(route, id, bodyWith(route, ours, { [field]: value })));
      }

      const [toForeign, toUnknown] = answers as [Reply, Reply];
      expect([404, 422]).toContain(toForeign.status);
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect([await everythingOf(ours), await everythingOf(theirs)]).toEqual(before);
    },
  );

  const lists = everyRoute.filter((route) => route.kind === 'list');
  it.each(lists.map((route) => [nameOf(route), route] as const))(
    '%s lists nothing of the other workspace, whatever the filter',
    async (_, route) => {
      const id = route.id ? (ours.ids[route.id] ?? '') : '';

      for (const query of ['', ...idFilters(route, (kind) => theirs.ids[kind] ?? newId(kind))]) {
        const answer = await door.api.call('GET', addressOf(route, id) + query, { key: ours.key });
        expect(answer.status).toBe(200);
        const said = answer.text;
        expect(Object.values(theirs.ids).filter((other) => said.includes(other))).toEqual([]);
      }
    },
  );

  const filtered = everyRoute.filter((route) => idFilters(route, () => '').length > 0);
  it.each(filtered.map((route) => [nameOf(route), route] as const))(
    "%s answers a filter by the other workspace's record like one by an unknown one",
    async (_, route) => {
      const id = route.id ? (ours.ids[route.id] ?? '') : '';
      const nobody = new Map<IdPrefix, string>();
      const unknown = (kind: IdPrefix): string => {
        nobody.set(kind, nobody.get(kind) ?? newId(kind));
        return nobody.get(kind) ?? '';
      };
      const ask = (query: string): Promise<Reply> =>
        door.api.call('GET', addressOf(route, id) + query, { key: ours.key });

      const foreign = idFilters(route, (kind) => theirs.ids[kind] ?? newId(kind));
      const others = idFilters(route, unknown);

      for (const [i, query] of foreign.entries()) {
        const [one, other] = [await ask(query), await ask(others[i] ?? '')];
        expect(withoutTime(comparable(one, ...Object.values(theirs.ids)))).toBe(
          withoutTime(comparable(other, ...nobody.values())),
        );
      }
    },
  );
}

describe('two workspaces', () => {
  eachIsolationCase();

  it.each(
    everyRoute
      .filter((route) => route.kind === 'list')
      .map((route) => [nameOf(route), route] as const),
  )("%s refuses a cursor of the other workspace's", async (_, route) => {
    const parent = route.id;
    const theirPage = await door.api.call(
      'GET',
      `${addressOf(route, parent ? (theirs.ids[parent] ?? '') : '')}?limit=1`,
      { key: theirs.key },
    );
    // A list of one row has no second page: then a cursor made for another list is as foreign.
    const cursor = theirPage.body.next_cursor ?? 'v1.eyJpZCI6ImNvbl8wMSJ9.c2lnbmF0dXJl';

    const answer = await door.api.call(
      'GET',
      `${addressOf(route, parent ? (ours.ids[parent] ?? '') : '')}?limit=1&cursor=${cursor}`,
      { key: ours.key },
    );

    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });

  it("do not share an idempotency key's answer", async () => {
    const send = (key: string) =>
      door.api.call('POST', '/api/v1/contacts', {
        key,
        body: { name: 'Bia', phone: '+5511912345678' },
        headers: { 'idempotency-key': 'the-same' },
      });

    const [first, second] = [await send(ours.key), await send(theirs.key)];

    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.id).not.toBe(second.body.id);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('two workspaces with the filter of the entity manager switched off', () => {
  beforeAll(() => switchTenantFilter('off'));
  afterAll(() => switchTenantFilter('on'));
  eachIsolationCase();
});
