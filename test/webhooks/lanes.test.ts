import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase, sqlOver } from '../../src/db/database.ts';
import { deleteEndpoint } from '../../src/webhooks/service.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { anEndpoint, sentEvents } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { eventually, type Receiver, startReceiver } from '../support/receiver.ts';
import { type RunningRelay, runRelay } from '../support/relay.ts';

let testDatabase: TestDatabase;
let database: Database;
let receiver: Receiver;
let running: RunningRelay;

beforeAll(async () => {
  testDatabase = await openTestDatabase();
  database = await openDatabase({ url: testDatabase.url });
});

afterAll(async () => {
  await database.close();
  await testDatabase.close();
});

beforeEach(async () => {
  receiver = await startReceiver();
  const { url } = testDatabase;
  running = await runRelay({ url, database, trustedOrigins: [receiver.origin] });
});

afterEach(async () => {
  await running.stop();
  await receiver.close();
});

async function aTarget(path: string) {
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, receiver.origin + path);
  const count = async (condition: string): Promise<number> => {
    const [row] = await sqlOver(database.system).rows<{ n: number }>(
      `select count(*) as n from webhook_deliveries where endpoint_id = $1 and ${condition}`,
      [id],
    );
    return row?.n ?? 0;
  };
  return { ctx, workspaceId, id, count };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('first attempts', () => {
  it('never have more than 8 in flight for one endpoint', async () => {
    const { workspaceId } = await aTarget('/eight');
    let inFlight = 0;
    let most = 0;
    receiver.answer = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await later(20);
      inFlight -= 1;
      return { status: 200 };
    };

    await sentEvents(database, workspaceId, 100);
    await receiver.waitFor(100);

    expect(most).toBe(8);
  });

  it('of a quick endpoint do not wait for a slow one', async () => {
    const slow = await aTarget('/slow');
    const quick = await aTarget('/quick');
    receiver.answer = async ({ path }) => {
      if (path === '/slow') await later(3_000);
      return { status: 200 };
    };

    await sentEvents(database, slow.workspaceId, 300);
    await eventually(() => receiver.received.length >= 8);
    const begun = Date.now();
    await sentEvents(database, quick.workspaceId, 100);
    running.waker.wake();
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 100);

    expect(Date.now() - begun).toBeLessThan(1_500);
  }, 20_000);

  it('end for an endpoint that is deleted while they wait', async () => {
    const { ctx, id, workspaceId, count } = await aTarget('/deleted');
    receiver.answer = async () => {
      await later(300);
      return { status: 200 };
    };
    await sentEvents(database, workspaceId, 200);
    await receiver.waitFor(8);

    await deleteEndpoint(ctx, id);
    await later(1_500);
    const received = receiver.received.length;
    await later(1_000);

    expect(receiver.received.length).toBe(received);
    expect(received).toBeLessThan(100);
    expect(await count('finished_at is null')).toBe(0);
  }, 20_000);
});

describe('an endpoint that keeps failing', () => {
  it('leaves the lane, and never has more than 200 workflows', async () => {
    const { id, workspaceId, count } = await aTarget('/failing');
    receiver.answer = () => ({ status: 500 });

    await sentEvents(database, workspaceId, 300);
    await eventually(async () => (await count('owned_by_workflow')) === 200, 15_000);

    const attempted = receiver.received.length;
    expect(attempted).toBeLessThan(60);
    expect(await count('attempts > 0')).toBe(attempted);
    const commands = await sqlOver(database.system).rows<{ payload: string }>(
      "select payload from facts where type = 'delivery.retrying' and organization_id = $1",
      [workspaceId],
    );
    const deliveries = commands.map(({ payload }) => JSON.parse(payload).deliveryId);
    expect(new Set(deliveries).size).toBe(200);

    await sqlOver(database.system).rows(
      `update webhook_deliveries set status = 'failed', finished_at = now() where id in (
         select id from webhook_deliveries where endpoint_id = $1 and owned_by_workflow limit 30)`,
      [id],
    );
    await eventually(
      async () => (await count('owned_by_workflow and finished_at is null')) === 200,
    );
    expect(await count('owned_by_workflow')).toBe(230);
  }, 30_000);

  it('is back in the lane once something was delivered', async () => {
    const { id, workspaceId, count } = await aTarget('/recovers');
    await sqlOver(database.system).rows(
      'update webhook_endpoints set failures_in_row = 7 where id = $1',
      [id],
    );
    await sentEvents(database, workspaceId);
    await eventually(async () => (await count('owned_by_workflow')) === 1);
    expect(receiver.received).toEqual([]);

    await sqlOver(database.system).rows(
      'update webhook_endpoints set failures_in_row = 0 where id = $1',
      [id],
    );
    await sentEvents(database, workspaceId);
    await receiver.waitFor(1);
    await eventually(async () => (await count("status = 'succeeded'")) === 1);
  });
});
