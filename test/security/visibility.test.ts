import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
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
import {
  addressIn,
  addressOf,
  everyRoute,
  idPrefix,
  nameOf,
  sendable,
  unknownId,
} from '../support/every-route.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

/**
 * What a member's visibility cuts (specification, What a token reaches): numbers, conversations and groups,
 * and what is nothing without one of them.
 */
const CUT: ReadonlySet<IdPrefix> = new Set(['num', 'cnv', 'msg', 'grp', 'cmp', 'rem']);

let door: OpenDoor;
let full: FullWorkspace;
/** Another, for those who see: what a leak deletes in the first one must not hide what they miss. */
let open: FullWorkspace;
/** See nothing of all that: another team's, and nobody's; each has a conversation on a number of its own. */
const blind = new Map<string, TestMember>();
/** See everything there is: the team of the number, and the person that has the conversation. */
const sighted = new Map<string, TestMember>();

/** Has a conversation of its own on the number, and sees nothing else of it. */
let neighbour: TestMember;

async function aTalkOf({ id }: TestMember, numberId: string): Promise<void> {
  const { id: contactId } = await aContact(full.ctx);
  const conversation = await aConversation(full.ctx, { numberId, contactId });
  const give = 'update conversations set assigned_member_id = $1 where id = $2';
  await rowsOf(full.ctx, give, [id, conversation]);
}

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  full = await aFullWorkspace(door.database, door.api);
  open = await aFullWorkspace(door.database, door.api);
  const role = 'owner' as const;
  blind.set('teams', await aMember(full.ctx, { role, visibility: 'teams', teams: ['Outra'] }));
  blind.set('assigned', await aMember(full.ctx, { role, visibility: 'assigned' }));
  neighbour = await aMember(full.ctx, { role, visibility: 'assigned' });
  await aTalkOf(neighbour, full.ids.num ?? '');
  for (const one of blind.values()) await aTalkOf(one, (await aNumber(full.ctx)).id);
  const { ctx, ids } = open;
  const inTeam = await aMember(ctx, { role, visibility: 'teams', teams: ['Vendas'] });
  const assigned = await aMember(ctx, { role, visibility: 'assigned' });
  sighted.set('teams', inTeam).set('assigned', assigned);
  await inWorkspace(door.database, ctx.organizationId, async (sql) => {
    await sql.rows('insert into number_teams values ($1, $2, $3)', [
      ctx.organizationId,
      ids.num,
      inTeam.teamIds[0],
    ]);
    await sql.rows('update conversations set assigned_team_id = $1, assigned_member_id = $2', [
      inTeam.teamIds[0],
      assigned.id,
    ]);
  });
});
afterAll(() => door.close());

const hidden = (): string[] =>
  Object.entries(full.ids).flatMap(([kind, id]) => (CUT.has(kind as IdPrefix) ? [id] : []));

const ask = (route: Route, { token }: TestMember, id: string, body?: unknown): Promise<Reply> =>
  door.api.call(route.method, addressOf(route, id, partOf(route)), {
    key: token,
    body: sendable(route, body ?? bodyWith(route, full)),
  });

const partOf = (route: Route): string | undefined => route.part && full.ids[route.part];
const own = (route: Route): string => (route.id && full.ids[route.id]) ?? '';
const named = (routes: readonly Route[]) => routes.map((route) => [nameOf(route), route] as const);

/** What a refused call must leave as it was. */
const traces = (): Promise<unknown[]> =>
  rowsOf(
    full.ctx,
    `select (select count(*) from audit_entries) as entries, (select count(*) from facts) as facts,
         (select count(*) from messages) as messages`,
  );

describe.each(['teams', 'assigned'])('a member who sees %s', (visibility) => {
  const blindOne = (): TestMember => blind.get(visibility) as TestMember;

  const cutPaths = everyRoute.filter((route) => route.id && CUT.has(route.id));
  it.each(named(cutPaths))(
    '%s answers what is out of sight exactly like what never was',
    async (_, route) => {
      const id = full.ids[idPrefix(route)] ?? '';
      const unknown = unknownId(route);
      const before = await traces();

      const toHidden = await ask(route, blindOne(), id);
      const toUnknown = await ask(route, blindOne(), unknown);

      expect(id).not.toBe('');
      expect(toHidden.status).toBe(404);
      expect(comparable(toHidden, id)).toBe(comparable(toUnknown, unknown));
      expect(await traces()).toEqual(before);
    },
  );

  const cutFields = everyRoute.flatMap((route) =>
    idFields(route)
      .filter((field) => CUT.has(FIELD_KINDS[field] ?? 'con'))
      .map((field) => [nameOf(route), field, route] as const),
  );
  it.each(cutFields)(
    '%s refuses what is out of sight in %s like what never was',
    async (_, field, route) => {
      const kind = FIELD_KINDS[field] ?? 'con';
      const before = await traces();

      const answers: [Reply, string][] = [];
      for (const id of [full.ids[kind] ?? '', newId(kind)]) {
        const body = bodyNaming(route, full, field, field.endsWith('_ids') ? [id] : id);
        answers.push([await ask(route, blindOne(), own(route), body), id]);
      }

      const [toHidden, toUnknown] = answers.map(([reply, id]) => comparable(reply, id));
      expect([404, 422]).toContain(answers[0]?.[0].status);
      expect(toHidden).toBe(toUnknown);
      expect(await traces()).toEqual(before);
    },
  );

  const readable = everyRoute.filter(
    (route) => route.kind !== 'write' && !(route.id && CUT.has(route.id)),
  );
  it.each(named(readable))('%s shows nothing that is out of sight', async (_, route) => {
    const queries = ['', ...idFilters(route, (kind) => full.ids[kind] ?? newId(kind))];

    for (const query of queries) {
      const address = addressOf(route, own(route), partOf(route)) + query;
      const reply = await door.api.call('GET', address, { key: blindOne().token });
      expect([200, 404, 422]).toContain(reply.status);
      if (reply.status !== 200) continue;
      expect(hidden().filter((id) => reply.text.includes(id))).toEqual([]);
    }
  });
});

describe('a member who sees a number, but not its group', () => {
  const groupFields = everyRoute.flatMap((route) =>
    idFields(route)
      .filter((field) => FIELD_KINDS[field] === 'grp')
      .map((field) => [nameOf(route), field, route] as const),
  );
  it.each(groupFields)(
    'is told by %s that there is no such group in %s',
    async (_, field, route) => {
      const id = full.ids.grp ?? '';
      const body = bodyNaming(route, full, field, field.endsWith('_ids') ? [id] : id);
      const before = await traces();

      const reply = await ask(route, neighbour, own(route), body);

      expect([reply.status, reply.body.error.code]).toEqual([422, 'unknown_group']);
      expect(await traces()).toEqual(before);
    },
  );
});

describe.each(['teams', 'assigned'])('a member whose %s include all of it', (visibility) => {
  const cut = everyRoute.filter((route) => route.kind !== 'write' && route.id && CUT.has(route.id));
  it.each(named(cut))('%s answers', async (_, route) => {
    const { token } = sighted.get(visibility) as TestMember;

    const reply = await door.api.call('GET', addressIn(route, open.ids), { key: token });

    // A record may be in a state that has no answer; that is told to those alone who see it.
    expect([200, 409]).toContain(reply.status);
  });

  const lists: [string, IdPrefix][] = [
    ['/api/v1/numbers', 'num'],
    ['/api/v1/conversations', 'cnv'],
    ['/api/v1/campaigns', 'cmp'],
    ['/api/v1/groups', 'grp'],
    ['/api/v1/reminders', 'rem'],
  ];
  const existing = lists.filter(([path]) =>
    everyRoute.some((route) => `/api${route.path}` === path),
  );
  it.each(existing)('GET %s lists it', async (path, kind) => {
    const { token } = sighted.get(visibility) as TestMember;

    const reply = await door.api.call('GET', path, { key: token });

    expect(reply.body.data.map((row: { id: string }) => row.id)).toContain(open.ids[kind]);
  });
});
