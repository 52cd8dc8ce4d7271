import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Context } from '../../../src/context.ts';
import { sqlOver } from '../../../src/db/database.ts';
import { resendDelivery } from '../../../src/webhooks/deliveries/resending.ts';
import { sendTestEvent } from '../../../src/webhooks/deliveries/testing.ts';
import type { DeliveryIds } from '../../../src/webhooks/lanes/retries/parts.ts';
import { rotateSecret } from '../../../src/webhooks/rotating.ts';
import {
  decodeSecret,
  newSecret,
  signatureHeaders,
} from '../../../src/webhooks/signing/signature.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { timeSkipping } from '../../support/env.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import { runRelay } from '../../support/relay.ts';
import { aDelivery, runRetryWorker } from '../../support/retries.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { acceptedBy, publicVerifiers } from '../../support/verifying/public.ts';
import { eventually } from '../../support/waiting.ts';

let database: OwnDatabase;
let receiver: Receiver;
let ctx: Context;
const toStop: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await database.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  ({ ctx } = await aWorkspace(database));
});
afterEach(async () => {
  for (const stop of toStop.splice(0)) await stop();
});

/**
 * When the secret is rotated, by attempts made, and how many seconds ago that was: the first 20 hours, so
 * that its 24 end within the schedule; the last twice in a row, for only the last two secrets count.
 */
const ROTATED_AFTER: Readonly<Record<number, readonly number[]>> = {
  4: [20 * 3_600],
  16: [0],
  23: [0, 0],
};

const sentAt = ({ headers }: Received): number => Number(headers['webhook-timestamp']);

/** The same caller at another time. */
const at = (seconds: number): Context => ({ ...ctx, now: new Date(seconds * 1_000) });

const rotate = async (endpointId: string, seconds: number): Promise<string> =>
  (await rotateSecret(at(seconds), endpointId, testKeyring)).secret;

/** What of a request a stranger on the way could change, each by one bit or one second. */
function changed(request: Received): Received[] {
  const { headers, body } = request;
  const bytes = Buffer.from(body);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  const id = headers['webhook-id'] ?? '';
  const other = String.fromCharCode(id.charCodeAt(id.length - 1) ^ 1);
  return [
    { ...request, body: bytes.toString('latin1') },
    { ...request, headers: { ...headers, 'webhook-id': id.slice(0, -1) + other } },
    { ...request, headers: { ...headers, 'webhook-timestamp': `${sentAt(request) + 1}` } },
  ];
}

/** Fails unless a request is signed by exactly these secrets, newest first, in the eyes of both verifiers. */
function expectSignedBy(request: Received, valid: readonly string[], invalid: readonly string[]) {
  const now = sentAt(request);
  const id = request.headers['webhook-id'] ?? '';
  const alone = valid.map(
    (secret) =>
      signatureHeaders({ id, timestamp: now, body: request.body }, [decodeSecret(secret)])[
        'webhook-signature'
      ],
  );
  expect(request.headers['webhook-signature']).toBe(alone.join(' '));
  for (const secret of valid) {
    expect(acceptedBy(secret, request, now)).toEqual(publicVerifiers);
    for (const other of changed(request)) expect(acceptedBy(secret, other, now)).toEqual([]);
    expect(acceptedBy(secret, request, now + 301)).toEqual([]);
  }
  for (const secret of [...invalid, newSecret()])
    expect(acceptedBy(secret, request, now)).toEqual([]);
}

/** Fails unless all carry the event's very bytes and one id, which no verifier could take apart elsewhere. */
async function expectOneEvent(requests: readonly Received[], eventId: string): Promise<void> {
  const [event] = await sqlOver(database.system).rows<{ body: string }>(
    'select body from events where id = $1',
    [eventId],
  );
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  expect(new Set(requests.map(({ body }) => hash(body)))).toEqual(
    new Set([hash(event?.body ?? '')]),
  );
  for (const { headers, body } of requests) {
    expect(headers['webhook-id']).toBe(eventId);
    expect(JSON.parse(body).id).toBe(eventId);
    expect(headers['webhook-id']).toMatch(/^evt_[0-9A-Z]{26}$/);
    expect(headers['webhook-timestamp']).toMatch(/^[0-9]{10}$/);
    expect(headers['content-type']).toBe('application/json');
  }
}

describe('every attempt of a delivery that keeps failing', () => {
  let environment: TestWorkflowEnvironment;
  beforeAll(async () => {
    environment = await timeSkipping();
  });
  afterAll(() => environment.teardown());

  /** Its second round, by a workflow as its first: the lane's time cannot be skipped. */
  async function resendBy(ids: DeliveryIds): Promise<void> {
    await resendDelivery(at((await environment.currentTimeMs()) / 1_000), ids);
    await sqlOver(database.system).rows(
      'update webhook_deliveries set owned_by_workflow = true where id = $1',
      [ids.deliveryId],
    );
  }

  it('is accepted by the public verifiers with each secret that is valid then: 12, 12 resent, and over rotations', async () => {
    const trustedOrigins = [receiver.origin];
    const worker = await runRetryWorker({ environment, database, trustedOrigins });
    toStop.push(() => worker.stop());
    const { id, secret: first } = await anEndpoint(ctx, `${receiver.origin}/hooks`);
    const ids = await aDelivery(database, ctx.organizationId, id);
    const secrets = [first];
    receiver.answer = async (request) => {
      for (const ago of ROTATED_AFTER[receiver.received.length] ?? [])
        secrets.unshift(await rotate(id, sentAt(request) - ago));
      return { status: 500 };
    };

    expect(await (await worker.start(ids)).result()).toBe('failed after 12 attempts');
    // The thirteenth leaves at once: a second later than the twelfth, or the two would carry one timestamp.
    await environment.sleep('1 s');
    await resendBy(ids);
    expect(await (await worker.start(ids)).result()).toBe('failed after 24 attempts');

    const { received } = receiver;
    const [fifth = '', fourth = '', third = '', second = ''] = secrets;
    expect(received).toHaveLength(24);
    await expectOneEvent(received, ids.eventId);
    const signers = [
      ...Array.from({ length: 4 }, () => [first]),
      ...Array.from({ length: 5 }, () => [second, first]),
      ...Array.from({ length: 3 + 4 }, () => [second]),
      ...Array.from({ length: 7 }, () => [third, second]),
      [fifth, fourth],
    ];
    for (const [n, request] of received.entries()) {
      const valid = signers[n] ?? [];
      expectSignedBy(
        request,
        valid,
        secrets.filter((secret) => !valid.includes(secret)),
      );
    }
    expect(new Set(received.map(sentAt)).size).toBe(24);
  });
});

describe('every attempt that the relay makes', () => {
  it('is accepted by the public verifiers: the first, resent ones during and after a rotation, a test event', async () => {
    const { url } = database;
    const relay = await runRelay({ url, database, trustedOrigins: [receiver.origin] });
    toStop.push(() => relay.stop());
    ctx = { ...ctx, wake: relay.waker.wake };
    receiver.answer = () => ({ status: 200 });
    const { id: endpointId, secret: first } = await anEndpoint(ctx, `${receiver.origin}/hooks`);
    const [eventId = ''] = await sentEvents(database, ctx.organizationId);
    const sql = sqlOver(database.system);
    const settled = async (attempts: number): Promise<string> => {
      const params = [endpointId, eventId, attempts];
      const find = `select id from webhook_deliveries where endpoint_id = $1 and event_id = $2
        and attempts = $3 and status = 'succeeded'`;
      let id = '';
      await eventually(async () => {
        id = (await sql.rows<{ id: string }>(find, params))[0]?.id ?? '';
        return id !== '';
      });
      return id;
    };
    const now = Date.now() / 1_000;
    const resendAndSettle = async (deliveryId: string, made: number): Promise<void> => {
      // Later each time: two wishes within two seconds are one.
      await resendDelivery(at(now + made * 10), { endpointId, deliveryId });
      await settled(made + 1);
    };

    void relay.waker.wake('events');
    const deliveryId = await settled(1);
    const second = await rotate(endpointId, now);
    await resendAndSettle(deliveryId, 1);
    await rowsOf(
      ctx,
      "update webhook_endpoints set previous_valid_until = now() - interval '1 minute' where id = $1",
      [endpointId],
    );
    await resendAndSettle(deliveryId, 2);
    await sendTestEvent(ctx, endpointId, {});
    await receiver.waitFor(4);

    const { received } = receiver;
    const signers = [[first], [second, first], [second], [second]];
    for (const [n, valid] of signers.entries()) {
      const request = received[n];
      if (!request) throw new Error(`no request ${n}`);
      expectSignedBy(
        request,
        valid,
        [first, second].filter((secret) => !valid.includes(secret)),
      );
    }
    await expectOneEvent(received.slice(0, 3), eventId);
    await expectOneEvent(received.slice(3), received[3]?.headers['webhook-id'] ?? '');
  });
});
