import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { sqlOver } from '../../../src/db/database.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { eventually } from '../../support/waiting.ts';

let database: OwnDatabase;
let receiver: Receiver;
let running: RunningRelay;

beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
  const { url } = database;
  running = await runRelay({ url, database, trustedOrigins: [receiver.origin] });
});

afterAll(async () => {
  await running.stop();
  await receiver.close();
  await database.close();
});

beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 200 });
});

const deliveriesOf = (endpointId: string) =>
  sqlOver(database.system).rows<Record<string, unknown>>(
    'select * from webhook_deliveries where endpoint_id = $1 order by event_id',
    [endpointId],
  );

describe('a first attempt', () => {
  it('carries the event signed, so that the public verifier accepts it', async () => {
    const { ctx, workspaceId } = await aWorkspace(database);
    const { id, secret } = await anEndpoint(ctx, `${receiver.origin}/a?x=1`);

    const [eventId] = await sentEvents(database, workspaceId);
    void running.waker.wake('events');
    await receiver.waitFor(1);

    const [got] = receiver.received;
    expect(got?.path).toBe('/a?x=1');
    expect(got?.headers['content-type']).toBe('application/json');
    expect(got?.headers['webhook-id']).toBe(eventId);
    const body = new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {});
    expect(body).toMatchObject({ id: eventId, type: 'message.sent', organization_id: workspaceId });
    await eventually(async () => (await deliveriesOf(id))[0]?.['status'] === 'succeeded');
    const [row] = await deliveriesOf(id);
    expect(row).toMatchObject({ attempts: 1, code: 200, event_id: eventId, next_attempt_at: null });
    expect(row?.['finished_at']).toBeInstanceOf(Date);
    expect(await sqlOver(database.system).rows('select * from webhook_attempts')).toMatchObject([
      { number: 1, code: 200, delivery_id: row?.['id'] },
    ]);
  });

  it('that failed is kept as retrying, with the command that starts its workflow', async () => {
    const { ctx, workspaceId } = await aWorkspace(database);
    const { id } = await anEndpoint(ctx, `${receiver.origin}/b`);
    receiver.answer = () => ({ status: 503, body: 'later' });

    const [eventId] = await sentEvents(database, workspaceId);
    void running.waker.wake('events');
    await eventually(async () => (await deliveriesOf(id))[0]?.['status'] === 'retrying');

    const [row] = await deliveriesOf(id);
    expect(row).toMatchObject({ attempts: 1, code: 503, error: 'status', response: 'later' });
    const { first_attempt_at: first, next_attempt_at: next } = row as Record<string, Date>;
    expect(next?.getTime()).toBe((first?.getTime() ?? 0) + 30_000);
    const commands = await sqlOver(database.system).rows<{ payload: string }>(
      "select payload from facts where type = 'delivery.retrying' and organization_id = $1",
      [workspaceId],
    );
    const told = commands.map(({ payload }) => JSON.parse(payload));
    expect(told).toEqual([
      {
        deliveryId: row?.['id'],
        endpointId: id,
        eventId,
        dueAt: expect.any(String),
        attempts: 1,
        roundAttempts: 1,
      },
    ]);
    expect(new Date(told[0]?.dueAt)).toEqual(next);
  });
});
