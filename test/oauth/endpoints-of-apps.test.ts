import { describe, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { memberActor } from '../../src/members/actors.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { takeBack } from '../../src/oauth/connections/own.ts';
import {
  type ConnectionRecord,
  disconnect,
  listConnections,
} from '../../src/oauth/connections/service.ts';
import { cleanUpAuthorization } from '../../src/oauth/upkeep.ts';
import { operatedEndpoints } from '../../src/webhooks/operated.ts';
import { pauseEndpoint, resumeEndpoint } from '../../src/webhooks/pausing.ts';
import { createEndpoint } from '../../src/webhooks/service.ts';
import { untilWaiting } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFlow, type Flow, post, type Tokens, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person, REDIRECT } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

interface Connected {
  readonly person: Person;
  readonly flow: Flow;
  readonly tokens: Tokens;
}

type App = { readonly id: string; readonly secret: string | null };

async function connect(person: Person, app: App): Promise<Connected> {
  const flow = aFlow(scene, app, { scope: 'webhooks:write offline_access' });
  return { person, flow, tokens: await tokensOf(scene, flow, person) };
}

const anAppIn = (ctx: Context): Promise<App> => anApp(ctx, ['webhooks:write']);

async function aRegisteredApp(): Promise<App> {
  const response = await fetch(`${scene.issuer}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Agent',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: id } = (await response.json()) as { client_id: string };
  return { id, secret: null };
}

const input = (name: string) => ({
  name,
  url: 'https://planner.example.com/in',
  events: ['message.received' as const],
});

async function anEndpoint({ tokens }: Connected, name: string): Promise<string> {
  const response = await fetch(`${scene.api}/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(input(name)),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

const standing = (person: Person): Promise<unknown[]> =>
  rowsOf(
    person.ctx,
    `select name, status, paused_at is not null and drain_at is not null as held from webhook_endpoints order by name`,
  );

async function connectionOf({ person, flow }: Connected): Promise<ConnectionRecord> {
  const all = await transact(person.ctx, listConnections);
  const own = all.find(
    ({ app, member }) => app.id === flow.clientId && member.id === person.memberId,
  );
  if (!own) throw new Error('It is not connected.');
  return own;
}

const disconnectIt = async (one: Connected): Promise<void> =>
  disconnect(one.person.ctx, (await connectionOf(one)).id);

async function takeItBack(one: Connected): Promise<void> {
  const { id } = await connectionOf(one);
  const { session } = one.person.approval([]);
  const parts = {
    database: scene.database,
    wake: () => {},
    clock: { now: () => new Date(), skewMs: 0 },
  };
  await takeBack(parts, session, id, { id: 'req_1', ip: null, userAgent: null });
}

async function forget({ flow }: Connected): Promise<void> {
  await asSystem(scene.database, (sql) =>
    sql.rows("update oauth_clients set last_used_at = now() - interval '91 days' where id = $1", [
      flow.clientId,
    ]),
  );
  expect((await cleanUpAuthorization(scene)).clients).toBe(1);
}

const giveUp = ({ flow, tokens }: Connected): Promise<unknown> =>
  post(`${scene.issuer}/oauth2/revoke`, { token: tokens.refresh_token ?? '' }, flow);

type End = (connected: Connected, maker: Person) => Promise<unknown>;
const WAYS: [string, End, string | null][] = [
  ['the person disconnects it', takeItBack, null],
  ['somebody else of the workspace disconnects it', disconnectIt, null],
  ['it is deleted', ({ flow }, maker) => deleteApp(scene.database, maker.ctx, flow.clientId), null],
  ['it was not used for long', forget, 'registered'],
  ['it gives back what it was granted', giveUp, null],
];

const active = (name: string) => ({ name, status: 'active', held: false });
const paused = (name: string) => ({ name, status: 'paused', held: true });

describe('what an app has created for a person', () => {
  it.each(WAYS)('is paused when %s, and nothing else is', async (_, end, registered) => {
    const maker = await aPerson(scene);
    const app = registered ? await aRegisteredApp() : await anAppIn(maker.ctx);
    const person = await aPerson(scene);
    const one = await connect(person, app);
    const other = await connect(person, await anAppIn(person.ctx));
    await anEndpoint(one, 'a, the app');
    await anEndpoint(one, 'b, the app');
    await anEndpoint(other, 'c, another app');
    await createEndpoint(person.ctx, input('d, nobody'), { ...scene, trustedOrigins: [] });
    expect(await connectionOf(one)).toMatchObject({ endpoints: ['a, the app', 'b, the app'] });

    await end(one, maker);

    expect(await standing(person)).toEqual([
      paused('a, the app'),
      paused('b, the app'),
      active('c, another app'),
      active('d, nobody'),
    ]);
    const told = "select from facts where type = 'endpoint.changed'";
    expect(await rowsOf(person.ctx, told)).toHaveLength(2);
    const log = `select target ->> 'name' as name, changes from audit_entries where action = 'webhook.paused' order by seq`;
    const changes = [
      { field: 'status', from: 'active', to: 'paused' },
      { field: 'reason', from: null, to: 'app disconnected' },
      { field: 'app', from: registered ? 'Agent' : 'Planilhas', to: null },
    ];
    expect(await rowsOf(person.ctx, log)).toEqual([
      { name: 'a, the app', changes },
      { name: 'b, the app', changes },
    ]);
  });

  it('is told to running processes before the app that gives back its grant is answered', async () => {
    const person = await aPerson(scene);
    const one = await connect(person, await anAppIn(person.ctx));
    await anEndpoint(one, 'a');
    scene.wakes.length = 0;

    await giveUp(one);

    expect(scene.wakes).toEqual(['commands', 'endpoints']);
  });

  it('stays while the app acts for somebody else, in whose name it was made', async () => {
    const person = await aPerson(scene);
    const colleague = await aPerson(scene, { ctx: person.ctx });
    const app = await anAppIn(person.ctx);
    const one = await connect(person, app);
    const two = await connect(colleague, app);
    await anEndpoint(one, 'a');
    await anEndpoint(two, 'b');

    await disconnectIt(one);
    expect(await standing(person)).toEqual([paused('a'), active('b')]);

    await deleteApp(scene.database, person.ctx, app.id);
    expect(await standing(person)).toEqual([paused('a'), paused('b')]);
  });

  it('stays paused after an operator, who had paused it before, resumes what operators paused', async () => {
    const person = await aPerson(scene);
    const one = await connect(person, await anAppIn(person.ctx));
    const id = await anEndpoint(one, 'a');
    await pauseEndpoint({ ...person.ctx, actor: system('wms command line') }, id);

    await disconnectIt(one);

    const [row] = await asSystem(scene.database, (sql) => operatedEndpoints(sql, { endpoint: id }));
    expect([row?.status, row?.paused_by_operator]).toEqual(['paused', false]);
  });

  it('is paused too if it was being created when the app was disconnected, and refused after that', async () => {
    const person = await aPerson(scene);
    const one = await connect(person, await anAppIn(person.ctx));
    const { id: credentialId, app } = await connectionOf(one);
    const { organizationId } = person.ctx;
    const actor = await inWorkspace(scene.database, organizationId, (sql) =>
      memberActor(sql, organizationId, person.memberId, {
        credentialId,
        app: { ...app, scopes: new Set(['webhooks:write' as const]) },
      }),
    );
    if (!actor) throw new Error('Nobody is there.');
    const parts = { ...scene, trustedOrigins: [] };
    const asApp = (): Context =>
      createContext(
        { database: scene.database, wake: () => {} },
        {
          organizationId,
          actor,
          now: new Date(),
          request: { id: 'req_2', ip: null, userAgent: null },
        },
      );

    let disconnected: Promise<void> | undefined;
    const { id } = await transact(asApp(), async (tx) => {
      const made = await createEndpoint(tx, input('just now'), parts);
      disconnected = disconnect(person.ctx, credentialId);
      await untilWaiting(scene.database.system);
      return made;
    });
    await disconnected;

    expect(await standing(person)).toEqual([paused('just now')]);
    const refused = { code: 'unauthorized' };
    await expect(createEndpoint(asApp(), input('too late'), parts)).rejects.toMatchObject(refused);
    await expect(resumeEndpoint(asApp(), id)).rejects.toMatchObject(refused);
    expect(await standing(person)).toEqual([paused('just now')]);
  });
});
