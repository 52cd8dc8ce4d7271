import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, inWorkspace, openDatabase, sqlOver } from '../../src/db/database.ts';
import { eventFact, insertFacts } from '../../src/outbox/record.ts';
import { sampleData } from '../../src/outbox/samples.ts';
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
  const { ctx, workspaceId } = await aWorkspace(database, { wake: running.waker.wake });
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

const aStatementWaits = async (): Promise<boolean> => {
  const rows = await sqlOver(database.system).rows(
    'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
  );
  return rows.length > 0;
};

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
    const delivered = Promise.withResolvers<void>();
    receiver.answer = async ({ path }) => {
      if (path === '/slow') await delivered.promise;
      return { status: 200 };
    };

    await sentEvents(database, slow.workspaceId, 300);
    await eventually(() => receiver.received.length >= 8);
    await sentEvents(database, quick.workspaceId, 100);
    void running.waker.wake('events');
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 100);

    // All of the quick ones while not one of the slow ones was answered.
    expect(await slow.count("status = 'succeeded'")).toBe(0);
    delivered.resolve();
  });

  it('of a quick endpoint do not wait for many that fall silent at the same moment', async () => {
    const silent = [];
    for (let n = 0; n < 40; n += 1) silent.push(await aTarget(`/silent/${n}`));
    const quick = await aTarget('/quick-among-silent');
    const delivered = Promise.withResolvers<void>();
    receiver.answer = async ({ path }) => {
      if (path.startsWith('/silent')) await delivered.promise;
      return { status: 200 };
    };

    for (const { workspaceId } of silent) await sentEvents(database, workspaceId, 10);
    await eventually(() => receiver.received.length >= 256);
    await sentEvents(database, quick.workspaceId, 20);
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 20, 8_000);

    delivered.resolve();
    await eventually(() => running.relay.figures().inFlight === 0);
  });

  it('never begin for an endpoint whose deletion was answered while they were being read', async () => {
    const { ctx, id, workspaceId } = await aTarget('/deleted-meanwhile');
    const event = eventFact(workspaceId, 'message.sent', sampleData['message.sent'], new Date());
    // Another transaction is about to store the same event: whoever reads the fact waits for it.
    const other = await database.system.connect();
    await other.query('begin');
    await other.query(
      `insert into events (day, organization_id, id, type, body, created_at) values (wms.id_day($2), $1, $2, 'message.sent', '', now())`,
      [workspaceId, event.id],
    );
    await inWorkspace(database, workspaceId, (sql) => insertFacts(sql, workspaceId, [event]));
    await eventually(aStatementWaits);

    await deleteEndpoint(ctx, id);
    await other.query('rollback');
    other.release();
    // Its own event, for commands of earlier tests wait for a Temporal that is not there.
    const waiting = (): Promise<unknown[]> =>
      sqlOver(database.system).rows('select from facts where is_event and organization_id = $1', [
        workspaceId,
      ]);
    await eventually(async () => (await waiting()).length === 0);
    await later(300);

    expect(receiver.received).toEqual([]);
  });

  it('end for an endpoint that is deleted while they wait', async () => {
    const { ctx, id, workspaceId, count } = await aTarget('/deleted');
    const deleted = Promise.withResolvers<void>();
    receiver.answer = async () => {
      await deleted.promise;
      return { status: 200 };
    };
    await sentEvents(database, workspaceId, 200);
    await receiver.waitFor(8);

    await deleteEndpoint(ctx, id);
    deleted.resolve();
    await eventually(async () => (await count("status = 'succeeded'")) === 8);
    await later(500);

    // Only those that were under way when the deletion was answered.
    expect(receiver.received.length).toBe(8);
  });
});
