import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import { permissionsOf } from '../../src/access/roles.ts';
import { SCOPE_NAMES, type Scope } from '../../src/access/scopes.ts';
import { forEachLimited } from '../../src/concurrency.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { suspendMember, updateMember } from '../../src/members/changing.ts';
import { removeMember } from '../../src/members/removing.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aFlow, type Flow, refresh, type Tokens, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type ApiProcess, startApiProcess } from './support/processes.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';
import { everyWay, type Met, type Refused, type Way } from './support/ways.ts';

/** What a person granted: everything, for either resource. */
interface Held {
  readonly flow: Flow;
  tokens: Tokens;
}
type Holding = Readonly<Record<Way['resource'], Held>>;

let scene: OAuthScene;
let ctx: Context;
let processes: readonly ApiProcess[] = [];
beforeAll(async () => {
  scene = await openOAuthScene();
  ({ ctx } = await aWorkspace(scene.database));
  processes = await Promise.all([startApiProcess(scene), startApiProcess(scene)]);
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.close()));
  await scene.close();
});

async function connect(
  person: Person,
  app: { id: string; secret: string } | null = null,
): Promise<Holding> {
  const known = app ?? (await anApp(ctx, SCOPE_NAMES));
  const scope = [...SCOPE_NAMES, 'offline_access'].join(' ');
  const grant = async (resource: string): Promise<Held> => {
    const flow = aFlow(scene, known, { scope, resource });
    return { flow, tokens: await tokensOf(scene, flow, person) };
  };
  return { api: await grant(scene.api), mcp: await grant(scene.mcp) };
}

/** A token with fewer scopes than were granted, as an app gets one for a part of its work. */
async function narrowed(held: Held, scopes: readonly Scope[]): Promise<string> {
  const wanted = { scope: scopes.join(' ') };
  const said = await refresh(scene, held.flow, held.tokens.refresh_token ?? '', wanted);
  expect([said.status, said.body.scope?.split(' ').toSorted()]).toEqual([
    200,
    [...scopes].toSorted(),
  ]);
  held.tokens = said.body as Tokens;
  return held.tokens.access_token;
}

type Choose<T> = (way: Way) => T;

/** For each scope the token that `scopes` makes of it, by the scope of the way that is taken. */
async function tokenByScope(
  holding: Holding,
  scopes: (scope: Scope) => readonly Scope[],
): Promise<Choose<string>> {
  const made = new Map<string, string>();
  for (const resource of ['api', 'mcp'] as const)
    for (const scope of SCOPE_NAMES)
      made.set(`${resource} ${scope}`, await narrowed(holding[resource], scopes(scope)));
  return ({ resource, scope }) => made.get(`${resource} ${scope}`) ?? '';
}

/** One token for everything that a resource has. */
const whole =
  (holding: Holding): Choose<string> =>
  ({ resource }) =>
    holding[resource].tokens.access_token;

/** How each way is met, in each process. */
async function met(token: Choose<string>): Promise<Record<string, Met[]>> {
  const seen = await Promise.all(
    processes.map(async ({ reached }) => {
      const here = new Map<string, Met>();
      await forEachLimited(4, everyWay, async (way) => {
        here.set(way.name, await way.go(reached, token(way)));
      });
      return here;
    }),
  );
  return everywhere((way) => seen.map((here) => here.get(way.name) ?? 'let in'));
}

const everywhere = <T>(choose: Choose<T>): Record<string, T> =>
  Object.fromEntries(everyWay.map((way) => [way.name, choose(way)]));

const inBoth = (choose: Choose<Met>): Record<string, Met[]> =>
  everywhere((way) => processes.map(() => choose(way)));

const metadataOf = ({ resource }: Way): { resource_metadata: string } => ({
  resource_metadata: `${scene.baseUrl}/.well-known/oauth-protected-resource/api/${
    resource === 'api' ? 'v1' : 'mcp'
  }`,
});

/** A client of the agent tools hears what to ask for in all, one of the API what this call lacks. */
const lackingScope = (way: Way): Refused => ({
  code: 'forbidden',
  lacks: { scope: way.scope },
  challenge: {
    error: 'insufficient_scope',
    scope:
      way.resource === 'api' ? way.scope : [...SCOPE_NAMES, 'offline_access'].toSorted().join(' '),
    ...metadataOf(way),
  },
});

/** No consent would help, so none is asked for. */
const lackingPermission = (permission: Permission): Refused => ({
  code: 'forbidden',
  lacks: { permission },
  challenge: null,
});

const shutOut = (way: Way): Refused => ({
  code: 'unauthorized',
  lacks: null,
  challenge: { error: 'invalid_token', ...metadataOf(way) },
});

/** Each process lets the token in once more: what it remembers of a token must not outlive what ended it. */
async function letIn(token: Choose<string>): Promise<void> {
  const ways = ['GET /v1/contacts', 'tool list_contacts'];
  const known = everyWay.filter(({ name }) => ways.includes(name));
  expect(known).toHaveLength(ways.length);
  for (const { reached } of processes)
    for (const way of known) expect(await way.go(reached, token(way))).toBe('let in');
}

describe('every operation and every tool, in each of two processes', () => {
  it('lets in a token that has its scope and no other', async () => {
    const owner = await connect(await aPerson(scene, { ctx, role: 'owner' }));

    const token = await tokenByScope(owner, (scope) => [scope]);

    expect(await met(token)).toEqual(inBoth(() => 'let in'));
  });

  it('refuses a token that has every scope but its own, and says which one to ask for', async () => {
    const owner = await connect(await aPerson(scene, { ctx, role: 'owner' }));

    const token = await tokenByScope(owner, (scope) => SCOPE_NAMES.filter((one) => one !== scope));

    expect(await met(token)).toEqual(inBoth(lackingScope));
  });

  it('is narrower from the next call on when the person is, whatever was granted before', async () => {
    const person = await aPerson(scene, { ctx });
    const token = whole(await connect(person));
    await letIn(token);

    await updateMember(ctx, person.memberId, { role: 'agent' });

    const may = permissionsOf('agent', []);
    const expected = inBoth(({ permissions }) => {
      const lacking = permissions.find((permission) => !may.has(permission));
      return lacking ? lackingPermission(lacking) : 'let in';
    });
    expect(Object.values(expected).flat()).toContain('let in');
    expect(Object.values(expected).flat()).toContainEqual(lackingPermission('campaigns.send'));
    expect(await met(token)).toEqual(expected);
  });

  it.each<[string, (person: Person, clientId: string) => Promise<unknown>]>([
    ['the app is disconnected', (person) => disconnected(person)],
    ['the app is deleted', (_, clientId) => deleteApp(scene.database, ctx, clientId)],
    ['the person leaves the workspace', ({ memberId }) => removeMember(ctx, memberId)],
    ['the person loses the seat', ({ memberId }) => suspendMember(ctx, memberId)],
    ['the person becomes a Viewer', (person) => becomesViewer(person)],
  ])('is closed from the next call on when %s', async (_, end) => {
    const person = await aPerson(scene, { ctx });
    const holding = await connect(person);
    const token = whole(holding);
    await letIn(token);

    await end(person, holding.api.flow.clientId);

    expect(await met(token)).toEqual(inBoth(shutOut));
  });
});

const becomesViewer = ({ memberId }: Person): Promise<unknown> =>
  updateMember(ctx, memberId, { role: 'viewer' });

async function disconnected({ memberId }: Person): Promise<void> {
  const all = await transact(ctx, listConnections);
  for (const { id, member } of all) if (member.id === memberId) await disconnect(ctx, id);
}
