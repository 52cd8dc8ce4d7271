import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { asSystem } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { removeMember } from '../../src/members/removing.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { cleanUpAuthorization } from '../../src/oauth/upkeep.ts';
import { madeThrough, resumeEndpoint } from '../../src/webhooks/pausing.ts';
import { createEndpoint, deleteEndpoint } from '../../src/webhooks/service.ts';
import { untilWaiting } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

const asOperator = <R>(text: string, params: unknown[]): Promise<R[]> =>
  asSystem(scene.database, (sql) => sql.rows<R>(text, params));

async function connected(person: Person, appId: string): Promise<string> {
  const id = newId('cnx');
  await rowsOf(
    person.ctx,
    `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, now())`,
    [person.ctx.organizationId, id, appId, person.memberId],
  );
  return id;
}

async function madeFor(person: Person, appId: string, name = 'Vendas'): Promise<string> {
  const wish = { name, url: 'https://planner.example.com/in', events: ['message.sent' as const] };
  const { id } = await createEndpoint(person.ctx, wish, { ...scene, trustedOrigins: [] });
  await rowsOf(
    person.ctx,
    'update webhook_endpoints set app_id = $2, member_id = $3 where id = $1',
    [id, appId, person.memberId],
  );
  return id;
}

async function used(appId: string, ago: string): Promise<void> {
  await asOperator(
    `insert into oauth_clients (id, source, name, metadata, scopes, created_at, last_used_at)
     values ($1, 'registered', 'Agent', '{}', '{}', now() - interval '200 days', now() - $2::interval)`,
    [appId, ago],
  );
}

const statuses = async (person: Person): Promise<string[]> => {
  const all = await rowsOf<{ status: string }>(
    person.ctx,
    'select status from webhook_endpoints order by id',
  );
  return all.map(({ status }) => status);
};

/** Somebody saw the whole workspace, had an app create an endpoint, and has left. */
async function leftBehind(person: Person, appId: string): Promise<void> {
  const gone = await aPerson(scene, { ctx: person.ctx });
  await connected(gone, appId);
  await madeFor(gone, appId);
  await removeMember(person.ctx, gone.memberId);
  expect(await statuses(person)).toEqual(['active']);
}

interface Ids {
  readonly appId: string;
  readonly connection: string;
}

const announced = async (ctx: Context): Promise<(readonly string[])[]> => {
  const all = await transact(ctx, listConnections);
  return all.map(({ endpoints }) => endpoints);
};

describe('what an app created in a workspace', () => {
  it('is paused with its last connection there, though a colleague had resumed it', async () => {
    const person = await aPerson(scene);
    const colleague = await aPerson(scene, { ctx: person.ctx });
    const { id: appId } = await anApp(person.ctx);
    const one = await connected(person, appId);
    const two = await connected(colleague, appId);
    const endpoint = await madeFor(person, appId);
    expect(await announced(person.ctx)).toEqual([[], ['Vendas']]);
    await disconnect(person.ctx, one);
    expect(await statuses(person)).toEqual(['paused']);

    await resumeEndpoint(colleague.ctx, endpoint);
    expect(await announced(person.ctx)).toEqual([['Vendas']]);
    await disconnect(person.ctx, two);

    expect(await statuses(person)).toEqual(['paused']);
  });

  it('outlives the member and goes on while somebody else has the app connected', async () => {
    const person = await aPerson(scene);
    const colleague = await aPerson(scene, { ctx: person.ctx });
    const { id: appId } = await anApp(person.ctx);
    await leftBehind(person, appId);
    const one = await connected(person, appId);
    const two = await connected(colleague, appId);
    expect(await announced(person.ctx)).toEqual([[], []]);
    await disconnect(person.ctx, one);
    expect(await statuses(person)).toEqual(['active']);

    expect(await announced(person.ctx)).toEqual([['Vendas']]);
    await disconnect(person.ctx, two);

    expect(await statuses(person)).toEqual(['paused']);
  });

  it.each<[string, (ctx: Context, ids: Ids) => Promise<unknown>, string]>([
    ['disconnected', (ctx, { connection }) => disconnect(ctx, connection), 'not_found'],
    ['deleted', (ctx, { appId }) => deleteApp(scene.database, ctx, appId), 'done'],
  ])(
    'is in nobody’s way when its app is %s while its member is removed',
    async (_, end, outcome) => {
      const person = await aPerson(scene);
      const gone = await aPerson(scene, { ctx: person.ctx });
      const { id: appId } = await anApp(person.ctx);
      const ids = { appId, connection: await connected(gone, appId) };
      const endpoint = await madeFor(gone, appId);
      const again = (): Context => ({ ...person.ctx, em: person.ctx.em.fork() });

      const { removed, ended } = await transact(again(), async (tx) => {
        await tx.sql.rows('select from webhook_endpoints where id = $1 for update', [endpoint]);
        const removed = removeMember(again(), gone.memberId);
        await untilWaiting(scene.database.system);
        const ended = end(again(), ids).then(
          () => 'done',
          ({ code }) => code,
        );
        await untilWaiting(scene.database.system, 2);
        return { removed, ended };
      });
      await removed;

      expect(await ended).toBe(outcome);
    },
  );

  it('is neither named nor paused when it was deleted before', async () => {
    const person = await aPerson(scene);
    const { id: appId } = await anApp(person.ctx);
    const connection = await connected(person, appId);
    await deleteEndpoint(person.ctx, await madeFor(person, appId, 'Antigo'));
    await madeFor(person, appId);
    expect(await announced(person.ctx)).toEqual([['Vendas']]);
    expect(await transact(person.ctx, (tx) => madeThrough(tx, appId))).toEqual(['Vendas']);

    await disconnect(person.ctx, connection);

    const paused = await rowsOf(
      person.ctx,
      "select target ->> 'name' as name from audit_entries where action = 'webhook.paused'",
    );
    expect(paused).toEqual([{ name: 'Vendas' }]);
  });

  it('is paused when its last two connections end at the same moment', async () => {
    const person = await aPerson(scene);
    const colleague = await aPerson(scene, { ctx: person.ctx });
    const { id: appId } = await anApp(person.ctx);
    await leftBehind(person, appId);
    const one = await connected(person, appId);
    const two = await connected(colleague, appId);

    let second: Promise<void> | undefined;
    await transact(person.ctx, async (tx) => {
      await disconnect(tx, one);
      second = disconnect(person.ctx, two);
      await untilWaiting(scene.database.system);
    });
    await second;

    expect(await statuses(person)).toEqual(['paused']);
  });

  it('is paused when the app is deleted, also where nobody has it connected any more', async () => {
    const maker = await aPerson(scene);
    const customer = await aPerson(scene);
    const { id: appId } = await anApp(maker.ctx);
    for (const each of [maker, customer]) await leftBehind(each, appId);
    expect(await transact(maker.ctx, (tx) => madeThrough(tx, appId))).toEqual(['Vendas']);

    await deleteApp(scene.database, maker.ctx, appId);

    for (const each of [maker, customer]) expect(await statuses(each)).toEqual(['paused']);
  });

  it('is paused with an app that nobody used for 90 days, and keeps an app that somebody did', async () => {
    const idle = await aPerson(scene);
    const busy = await aPerson(scene);
    await used('dcr_idle', '91 days');
    await used('dcr_busy', '89 days');
    await leftBehind(idle, 'dcr_idle');
    await leftBehind(busy, 'dcr_busy');

    expect((await cleanUpAuthorization(scene)).clients).toBe(1);

    expect(await statuses(idle)).toEqual(['paused']);
    expect(await statuses(busy)).toEqual(['active']);
  });
});
