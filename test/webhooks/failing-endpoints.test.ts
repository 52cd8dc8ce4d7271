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

const commandsOf = (workspaceId: string, type: string) =>
  sqlOver(database.system).rows<{ payload: string }>(
    'select payload from facts where type = $2 and organization_id = $1',
    [workspaceId, type],
  );

const setFailures = (id: string, failures: number) =>
  sqlOver(database.system).rows('update webhook_endpoints set failures_in_row = $2 where id = $1', [
    id,
    failures,
  ]);

async function failuresOf(id: string): Promise<number | undefined> {
  const [row] = await sqlOver(database.system).rows<{ n: number }>(
    'select failures_in_row as n from webhook_endpoints where id = $1',
    [id],
  );
  return row?.n;
}

describe('an endpoint that keeps failing', () => {
  it('leaves the lane: what is new waits in its backlog, and one command has that drained', async () => {
    const { id, workspaceId, count } = await aTarget('/failing');
    receiver.answer = () => ({ status: 500 });

    await sentEvents(database, workspaceId, 300);
    await eventually(async () => (await count("(in_backlog or status = 'retrying')")) === 300);

    const attempted = await count('attempts > 0');
    expect(attempted).toBeLessThan(60);
    expect(receiver.received).toHaveLength(attempted);
    expect(await count("in_backlog and status = 'pending'")).toBe(300 - attempted);
    const retries = await commandsOf(workspaceId, 'delivery.retrying');
    expect(retries).toHaveLength(await count('owned_by_workflow'));
    const drains = await commandsOf(workspaceId, 'endpoint.changed');
    expect(drains.map(({ payload }) => JSON.parse(payload))).toEqual([{ endpointId: id }]);
  });

  it('gets few that are new as probes, whose retries wait in the lane for their time', async () => {
    const { ctx, id, workspaceId, count } = await aTarget('/probed');
    await setFailures(id, 20);
    receiver.answer = () => ({ status: 500 });

    await sentEvents(database, workspaceId, 200);
    await eventually(async () => (await count("status = 'retrying'")) >= 20);

    const attempted = await count('attempts > 0');
    expect(receiver.received).toHaveLength(attempted);
    expect(attempted).toBeLessThanOrEqual(40);
    expect(await count("in_backlog and status = 'pending'")).toBeGreaterThanOrEqual(160);
    // Without a workflow, in nobody's hand, at the moment that the schedule says.
    const waits = `status = 'retrying' and not owned_by_workflow and not in_backlog and lease_token is null`;
    expect(
      await count(`${waits} and lease_until = next_attempt_at and next_attempt_at > now()`),
    ).toBe(attempted);
    await deleteEndpoint(ctx, id);
  });

  it('is well again with the first probe that is delivered', async () => {
    const { id, workspaceId, count } = await aTarget('/recovers');
    await setFailures(id, 7);

    await sentEvents(database, workspaceId);
    await receiver.waitFor(1);

    await eventually(async () => (await count("status = 'succeeded'")) === 1);
    await eventually(async () => (await failuresOf(id)) === 0);
  });
});

describe('an endpoint that fails now and then', () => {
  it('counts what fails elsewhere, and from zero again with every success of the lane', async () => {
    const { id, workspaceId } = await aTarget('/retries-fail');
    // The lane lives on while it has one in flight.
    const open = Promise.withResolvers<void>();
    let n = 0;
    receiver.answer = async () => {
      n += 1;
      if (n === 1) await open.promise;
      return { status: 200 };
    };
    await sentEvents(database, workspaceId);
    await receiver.waitFor(1);

    await setFailures(id, 4);
    await sentEvents(database, workspaceId);
    await eventually(async () => (await failuresOf(id)) === 0);
    open.resolve();
  });

  it('never has more than 200 workflows; further retries wait in its backlog for their time', async () => {
    const { workspaceId, count } = await aTarget('/sometimes');
    let n = 0;
    // Never as many in a row as make it a failing one, whatever the order of answers.
    receiver.answer = () => ({ status: n++ % 3 === 0 ? 500 : 200 });

    await sentEvents(database, workspaceId, 900);
    await receiver.waitFor(900);
    await eventually(async () => (await count("(attempts = 0 or status = 'pending')")) === 0);

    expect(await count("status = 'retrying'")).toBe(300);
    const owned = await count('owned_by_workflow');
    expect(owned).toBeLessThanOrEqual(200);
    expect(owned).toBeGreaterThan(150);
    expect(await count('in_backlog and lease_until = next_attempt_at')).toBe(300 - owned);
    expect(await commandsOf(workspaceId, 'endpoint.changed')).toHaveLength(1);
  });
});
