import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { switchTenantFilter } from '../../src/db/tenant.ts';
import type { Route } from '../../src/http/route.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import {
  bodyNaming,
  bodyWith,
  comparable,
  FIELD_KINDS,
  idFields,
  idFilters,
} from '../support/bodies.ts';
import { credentialFor } from '../support/credentials.ts';
import {
  addressIn,
  addressOf,
  everyRoute,
  idPrefix,
  nameOf,
  sendable,
  unknownId,
} from '../support/every-route.ts';
import { everythingOf } from '../support/everything-of.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { copyRow, type FullWorkspace, firstRow, rowMaker } from '../support/rows.ts';
import { aFullWorkspace, onceSent } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;
let theirs: FullWorkspace;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ours = await aFullWorkspace(door.database, door.api);
  theirs = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

const all = ({ ctx }: FullWorkspace): Promise<string[]> => everythingOf(door.database, ctx);

/** Reports name the moment of their data. */
const withoutTime = (text: string): string => text.replaceAll(/"now":"[^"]*"/g, '"now":""');

interface Sent {
  readonly of?: FullWorkspace;
  readonly body?: unknown;
  readonly part?: string | undefined;
}

const call = (route: Route, id: string, sent: Sent = {}): Promise<Reply> => {
  const {
    of = ours,
    body = bodyWith(route, of),
    part = route.part && theirs.ids[route.part],
  } = sent;
  return door.api.call(route.method, addressOf(route, id, part), {
    key: credentialFor(route, of),
    body: sendable(route, body),
  });
};

const own = (route: Route, { ids } = ours): string => (route.id && ids[route.id]) ?? '';

/** Recipients are named of a campaign that is over. */
const sidesOf = async (field: string): Promise<readonly [FullWorkspace, FullWorkspace]> =>
  field === 'recipient_ids'
    ? [await onceSent(door.database, ours), await onceSent(door.database, theirs)]
    : [ours, theirs];

/** Every route that writes, those last that leave nothing for another one. */
const writes = () =>
  everyRoute
    .filter((route) => route.kind === 'write')
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
    .map((route) => [nameOf(route), route] as const);

function eachIsolationCase(): void {
  const withId = everyRoute.filter((route) => route.id);
  it.each(withId.map((route) => [nameOf(route), route] as const))(
    "%s answers the other workspace's record exactly like one that never was",
    async (_, route) => {
      const foreign = theirs.ids[idPrefix(route)] ?? '';
      const unknown = unknownId(route);
      const before = await all(theirs);

      const [toForeign, toUnknown] = [await call(route, foreign), await call(route, unknown)];

      expect(foreign).not.toBe('');
      expect(toForeign.status).toBe(404);
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect(await all(theirs)).toEqual(before);
    },
  );

  const withPart = everyRoute.filter((route) => route.part);
  it.each(withPart.map((route) => [nameOf(route), route] as const))(
    "%s answers the other workspace's part under a record of ours like one that never was",
    async (_, route) => {
      const [own, part] = [ours.ids[idPrefix(route)] ?? '', route.part ?? 'dlv'];
      const [foreign, unknown] = [theirs.ids[part] ?? '', newId(part)];
      const before = await all(theirs);

      const [toForeign, toUnknown] = [
        await call(route, own, { part: foreign }),
        await call(route, own, { part: unknown }),
      ];

      expect(foreign).not.toBe('');
      expect(toForeign.status).toBe(404);
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect(await all(theirs)).toEqual(before);
    },
  );

  const withBodyIds = everyRoute.flatMap((route) =>
    idFields(route).map((field) => [nameOf(route), field, route] as const),
  );
  it.each(withBodyIds)(
    "%s refuses the other workspace's record in %s like an unknown one, and changes nothing",
    async (_, field, route) => {
      const kind = FIELD_KINDS[field] ?? 'con';
      const [here, there] = await sidesOf(field);
      const id = route.id ? (here.ids[route.id] ?? '') : '';
      const list = field.endsWith('_ids');
      const [foreign, unknown] = [there.ids[kind] ?? '', newId(kind)];
      const before = [await all(ours), await all(theirs)];

      const answers: Reply[] = [];
      for (const other of [foreign, unknown]) {
        const value = list ? [here.ids[kind], other] : other;
        answers.push(await call(route, id, { body: bodyNaming(route, here, field, value) }));
      }

      const [toForeign, toUnknown] = answers as [Reply, Reply];
      expect([404, 422]).toContain(toForeign.status);
      const said = JSON.stringify(toForeign.body.error.details ?? toForeign.body);
      expect(said).toMatch(new RegExp(`"${field}["[]`));
      expect(comparable(toForeign, foreign)).toBe(comparable(toUnknown, unknown));
      expect([await all(ours), await all(theirs)]).toEqual(before);
    },
  );

  const lists = everyRoute.filter((route) => route.kind === 'list');
  it.each(lists.map((route) => [nameOf(route), route] as const))(
    '%s lists nothing of the other workspace, whatever the filter',
    async (_, route) => {
      const address = addressIn(route, ours.ids);

      for (const query of ['', ...idFilters(route, (kind) => theirs.ids[kind] ?? newId(kind))]) {
        const answer = await door.api.call('GET', address + query, { key: ours.key });
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
    const maker = rowMaker(route);
    await inWorkspace(door.database, theirs.ctx.organizationId, async (sql) => {
      const first = await firstRow(sql, maker, theirs.ids);
      await copyRow(sql, maker, first, maker.next?.() ?? newId(maker.prefix));
    });
    const page = (of: FullWorkspace, cursor = ''): Promise<Reply> =>
      door.api.call('GET', `${addressIn(route, of.ids)}?limit=1${cursor}`, { key: of.key });

    const cursor: unknown = (await page(theirs)).body.next_cursor;
    const answer = await page(ours, `&cursor=${cursor}`);

    expect(cursor).toEqual(expect.any(String));
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
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
  let without: FullWorkspace;
  let within: FullWorkspace;
  beforeAll(async () => {
    without = await aFullWorkspace(door.database, door.api);
    within = await aFullWorkspace(door.database, door.api);
    switchTenantFilter('off');
  });
  afterAll(() => switchTenantFilter('on'));
  eachIsolationCase();

  // Otherwise a transaction that belongs to no workspace would pass for one that is kept out of the others.
  it.each(writes())(
    "%s does to a workspace's own record what it does with the filter",
    async (_, route) => {
      const toOwn = (of: FullWorkspace): Promise<Reply> =>
        call(route, own(route, of), { of, part: route.part && of.ids[route.part] });

      const off = await toOwn(without);
      switchTenantFilter('on');
      const on = await toOwn(within).finally(() => switchTenantFilter('off'));

      expect(off.status).toBe(on.status);
    },
  );
});
