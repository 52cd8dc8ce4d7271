import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../src/db/database.ts';
import { newIdAt } from '../../src/ids.ts';
import { anEndpoint, sentEvents } from '../support/factories/webhooks.ts';
import { daysAgo } from '../support/past-days.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, anEndpointOf, facts } = relayScene();

describe('the relay of events', () => {
  it('makes one delivery of an event, however many relays there are', async () => {
    const { workspaceId, all } = await anEndpointOf();
    await Promise.all([start(), start(), start()]);

    const ids = await sentEvents(scene.database, workspaceId, 200);
    await eventually(() => all('succeeded', 200));

    const received = scene.receiver.received.map((request) => request.headers['webhook-id']);
    expect(received.toSorted()).toEqual(ids.toSorted());
    expect(await facts(workspaceId)).toEqual([]);
  });

  it('creates no delivery for an endpoint that does not subscribe', async () => {
    const { ctx, workspaceId, all } = await anEndpointOf();
    const other = await anEndpoint(ctx, `${scene.receiver.origin}/other`, ['contact.created']);
    await start();

    await sentEvents(scene.database, workspaceId, 2);
    await eventually(() => all('succeeded', 2));

    const rows = await sqlOver(scene.database.system).rows(
      'select 1 from webhook_deliveries where endpoint_id = $1',
      [other.id],
    );
    expect(rows).toEqual([]);
  });

  it('delivers an event that comes twice only once', async () => {
    const { workspaceId, all } = await anEndpointOf();
    const [id] = await sentEvents(scene.database, workspaceId);
    const again = () =>
      inWorkspace(scene.database, workspaceId, (sql) =>
        sql.rows(
          "insert into facts (organization_id, id, type, is_event, payload) values ($1, $2, 'message.sent', true, '{}')",
          [workspaceId, id],
        ),
      );
    await start();
    await eventually(() => all('succeeded', 1));

    await again();
    await eventually(async () => (await facts(workspaceId)).length === 0);
    await again();
    await eventually(async () => (await facts(workspaceId)).length === 0);

    expect(scene.receiver.received).toHaveLength(1);
  });

  it('delivers what waited for a worker longer than there are days ahead', async () => {
    const { workspaceId, all } = await anEndpointOf();
    const late = newIdAt('evt', daysAgo(12));
    await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows(
        "insert into facts (organization_id, id, type, is_event, payload) values ($1, $2, 'message.sent', true, '{}')",
        [workspaceId, late],
      ),
    );

    await start();

    await eventually(() => all('succeeded', 1));
    expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([late]);
    expect(await facts(workspaceId)).toEqual([]);
  });

  it('never sends to another workspace', async () => {
    const mine = await anEndpointOf();
    const theirs = await anEndpointOf();
    await start();

    await sentEvents(scene.database, mine.workspaceId, 5);
    await sentEvents(scene.database, theirs.workspaceId, 5);
    await scene.receiver.waitFor(10);

    for (const { path, body } of scene.receiver.received)
      expect(JSON.parse(body).organization_id).toBe(path.slice(1));
  });

  it('sets an event aside that cannot be relayed, and goes on with the others', async () => {
    const { workspaceId, all } = await anEndpointOf();
    await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows(
        "insert into facts (organization_id, id, type, is_event, payload) values ($1, 'evt_7ZZZZZZZZZ0000000000000000', 'message.sent', true, '{}')",
        [workspaceId],
      ),
    );
    await start();

    await sentEvents(scene.database, workspaceId, 3);
    await eventually(() => all('succeeded', 3));
    await eventually(async () => (await facts(workspaceId))[0]?.dead === true);

    expect(await facts(workspaceId)).toMatchObject([{ tries: 3, dead: true }]);
  });

  it('holds what comes while the endpoint is paused', async () => {
    const { workspaceId, endpointId, all } = await anEndpointOf();
    await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows("update webhook_endpoints set status = 'paused' where id = $1", [endpointId]),
    );
    await start();

    await sentEvents(scene.database, workspaceId, 3);
    await eventually(() => all('held', 3));

    expect(scene.receiver.received).toEqual([]);
  });
});
