import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Webhook } from 'standardwebhooks';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace, openDatabase, sqlOver } from '../../src/db/database.ts';
import { deleteEndpoint } from '../../src/webhooks/service.ts';
import type { RetryIds } from '../../src/webhooks/slots.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { keepHistory } from '../support/histories.ts';
import { eventually, type Receiver, startReceiver } from '../support/receiver.ts';
import { aDelivery, type RetryWorker, runRetryWorker } from '../support/retries.ts';
import { timeSkipping } from '../support/temporal.ts';

let testDatabase: TestDatabase;
let database: Database;
let receiver: Receiver;
let environment: TestWorkflowEnvironment;
let worker: RetryWorker;
let ctx: Context;

beforeAll(async () => {
  testDatabase = await openTestDatabase();
  database = await openDatabase({ url: testDatabase.url });
  receiver = await startReceiver();
  environment = await timeSkipping();
  worker = await runRetryWorker({ environment, database, trustedOrigins: [receiver.origin] });
  ({ ctx } = await aWorkspace(database));
});

afterAll(async () => {
  await worker.stop();
  await environment.teardown();
  await receiver.close();
  await database.close();
  await testDatabase.close();
});

beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 500, body: 'no' });
});

async function endpointAndDelivery(): Promise<{ secret: string; ids: RetryIds }> {
  const { id, secret } = await anEndpoint(ctx, `${receiver.origin}/hooks`);
  return { secret, ids: await aDelivery(database, ctx.organizationId, id) };
}

interface Row {
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly next_attempt_at: Date | null;
  readonly finished_at: Date | null;
}

async function rowOf({ deliveryId }: RetryIds): Promise<Row> {
  const [row] = await sqlOver(database.system).rows<Row>(
    'select * from webhook_deliveries where id = $1',
    [deliveryId],
  );
  if (!row) throw new Error('no delivery');
  return row;
}

const attemptsOf = ({ deliveryId }: RetryIds) =>
  sqlOver(database.system).rows<{ number: number; started_at: Date }>(
    'select number, started_at from webhook_attempts where delivery_id = $1 order by number',
    [deliveryId],
  );

/** Seconds from the first attempt to each. */
async function offsetsOf(ids: RetryIds): Promise<number[]> {
  const times = (await attemptsOf(ids)).map((attempt) => attempt.started_at.getTime());
  return times.map((time) => (time - (times[0] ?? 0)) / 1_000);
}

describe('a delivery whose receiver keeps failing', () => {
  it('is attempted 12 times at doubling intervals and then failed', async () => {
    const { secret, ids } = await endpointAndDelivery();

    const handle = await worker.start(ids);
    expect(await handle.result()).toBe('failed after 12 attempts');
    await keepHistory(handle, 'deliver-webhook-exhausted');

    const expected = [0, 30, 90, 210, 450, 930, 1_890, 3_810, 7_650, 15_330, 30_690, 61_410];
    const offsets = await offsetsOf(ids);
    expect(offsets).toHaveLength(12);
    for (const [n, offset] of offsets.entries()) {
      expect(offset).toBeGreaterThanOrEqual(expected[n] ?? 0);
      expect(offset).toBeLessThan((expected[n] ?? 0) + 25);
    }
    expect((await attemptsOf(ids)).map((attempt) => attempt.number)).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
    const row = await rowOf(ids);
    expect(row).toMatchObject({ status: 'failed', error: 'status', attempts: 12 });
    expect(row.next_attempt_at).toBeNull();
    expect(row.finished_at).not.toBeNull();

    const { received } = receiver;
    expect(received).toHaveLength(12);
    expect(new Set(received.map((request) => request.body)).size).toBe(1);
    expect(new Set(received.map((request) => request.headers['webhook-id']))).toEqual(
      new Set([ids.eventId]),
    );
    const stamps = received.map((request) => Number(request.headers['webhook-timestamp']));
    expect(new Set(stamps).size).toBe(12);
    const verifier = new Webhook(secret);
    for (const { headers, body } of received) {
      const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const signature = verifier.sign(headers['webhook-id'] ?? '', sentAt, body);
      expect(headers['webhook-signature']).toBe(signature);
    }
  });

  it('succeeds with the attempt that is accepted, and no other follows', async () => {
    const { ids } = await endpointAndDelivery();
    receiver.answer = () => ({ status: receiver.received.length < 4 ? 500 : 204 });

    const handle = await worker.start(ids);
    expect(await handle.result()).toBe('succeeded after 4 attempts');

    expect(receiver.received).toHaveLength(4);
    expect(await rowOf(ids)).toMatchObject({ status: 'succeeded', attempts: 4, error: null });
  });

  it('waits as long as Retry-After asks, when that is longer than the step', async () => {
    const { ids } = await endpointAndDelivery();
    receiver.answer = () =>
      receiver.received.length === 1
        ? { status: 429, headers: { 'retry-after': '600' } }
        : { status: receiver.received.length === 2 ? 503 : 200, headers: { 'retry-after': '1' } };

    const handle = await worker.start(ids);
    await handle.result();

    const [, second = 0, third = 0] = await offsetsOf(ids);
    expect(second).toBeGreaterThanOrEqual(600);
    expect(second).toBeLessThan(630);
    expect(third - second).toBeGreaterThanOrEqual(60);
    expect(third - second).toBeLessThan(85);
  });

  it('expires without a late attempt when the 24 hours passed meanwhile', async () => {
    const { ids } = await endpointAndDelivery();
    await sqlOver(database.system).rows(
      `update webhook_deliveries set status = 'retrying', attempts = 3, round_attempts = 3,
         first_attempt_at = $2, next_attempt_at = $2 where id = $1`,
      [ids.deliveryId, new Date((await environment.currentTimeMs()) - 24 * 3_600_000 - 1_000)],
    );

    const handle = await worker.start(ids);
    expect(await handle.result()).toBe('failed after 3 attempts');

    expect(receiver.received).toHaveLength(0);
    expect(await rowOf(ids)).toMatchObject({ status: 'failed', error: 'expired' });
  });
});

describe('a delivery whose row was changed', () => {
  it('goes to the backlog of its paused endpoint, with the time and attempts it has left', async () => {
    const { ids } = await endpointAndDelivery();
    const handle = await worker.start(ids);
    await eventually(async () => (await rowOf(ids)).status === 'retrying');

    await pause(ids);
    await handle.signal('wake');

    expect(await handle.result()).toBe('held after 1 attempt');
    await keepHistory(handle, 'deliver-webhook-parked');
    expect(await rowOf(ids)).toMatchObject({
      status: 'held',
      attempts: 1,
      round_attempts: 1,
      in_backlog: true,
      owned_by_workflow: false,
      next_attempt_at: null,
      finished_at: null,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('is left to the lane that attempts it when it was sent again meanwhile', async () => {
    const { ids } = await endpointAndDelivery();
    const handle = await worker.start(ids);
    await eventually(async () => (await rowOf(ids)).status === 'retrying');

    await sqlOver(database.system).rows(
      "update webhook_deliveries set status = 'pending', owned_by_workflow = false, next_attempt_at = null where id = $1",
      [ids.deliveryId],
    );
    await handle.signal('wake');

    expect(await handle.result()).toBe('pending after 1 attempt');
    expect(receiver.received).toHaveLength(1);
  });

  it('is never attempted again once its endpoint is deleted', async () => {
    const { ids } = await endpointAndDelivery();
    receiver.answer = () => ({ status: 500 });

    const handle = await worker.start(ids);
    await receiver.waitFor(1);
    await eventually(async () => (await rowOf(ids)).status === 'retrying');
    await deleteEndpoint(ctx, ids.endpointId);
    await handle.signal('wake');

    expect(await handle.result()).toBe('failed after 1 attempt');
    expect(receiver.received).toHaveLength(1);
  });

  it('is tried at once when an operator asks, before its time', async () => {
    const { ids } = await endpointAndDelivery();
    const handle = await worker.start(ids);
    await eventually(async () => (await rowOf(ids)).status === 'retrying');

    receiver.answer = () => ({ status: 200 });
    await handle.signal('sendNow');
    expect(await handle.result()).toBe('succeeded after 2 attempts');
    await keepHistory(handle, 'deliver-webhook-sent-now');

    const [, second = 0] = await offsetsOf(ids);
    expect(second).toBeLessThan(30);
  });

  it('ends as failed, cancelled by the operator, when its workflow is cancelled', async () => {
    const { ids } = await endpointAndDelivery();
    const handle = await worker.start(ids);
    await eventually(async () => (await rowOf(ids)).status === 'retrying');

    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('cancelled');
    await keepHistory(handle, 'deliver-webhook-cancelled');

    expect(await rowOf(ids)).toMatchObject({
      status: 'failed',
      error: 'cancelled_by_operator',
      next_attempt_at: null,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('ends quietly when the row is not there', async () => {
    const { ids } = await endpointAndDelivery();
    const missing = { ...ids, deliveryId: `dlv_${ids.deliveryId.slice(4, 14)}0000000000000000` };

    const handle = await worker.start(missing);

    expect(await handle.result()).toBe('gone after 0 attempts');
    expect(receiver.received).toHaveLength(0);
  });
});

const pause = ({ endpointId, organizationId }: RetryIds) =>
  inWorkspace(database, organizationId, (sql) =>
    sql.rows("update webhook_endpoints set status = 'paused' where id = $1", [endpointId]),
  );
