import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { sendTestEvent } from '../../../src/webhooks/deliveries/testing.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, type Running, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';
import { SUCCEEDED } from '../support/ended.ts';

let shell: Shell;
let relay: RunningRelay;
let receiver: Receiver;
let listener: Running;
/** The delivery that the receiver refused. */
let refused: string;
let eventId: string;

const PATIENT = { instead: () => listener.err() };
const answers = (): string[] => listener.lines().filter((line) => line.includes(' -> '));

beforeAll(async () => {
  shell = await openShell({ NODE_ENV: 'test' });
  const { databaseUrl: url, database } = shell;
  receiver = await startReceiver();
  receiver.answer = () => ({ status: 503, body: 'not now' });
  relay = await runRelay({ url, database, trustedOrigins: [] });
  listener = shell.start('listen', '--forward-to', receiver.origin);
  await eventually(() => listener.lines().length > 0, PATIENT);
  [eventId = ''] = await sentEvents(database, shell.ctx.organizationId);
  await eventually(() => answers().length === 1, PATIENT);
  refused = /dlv_\w+/.exec(answers()[0] ?? '')?.[0] ?? '';
});
afterAll(async () => {
  await listener.stop('SIGKILL');
  await relay.stop();
  await receiver.close();
  await shell.close();
});

const wms = (...args: string[]) => shell.wms('deliveries', ...args);

describe('wms deliveries', () => {
  it('lists them, of one endpoint and in one status', async () => {
    const { json: all } = await wms('list');
    expect(all).toMatchObject([
      {
        id: refused,
        event_id: eventId,
        status: 'failed',
        code: 503,
        attempts: 1,
        name: 'wms listen',
      },
    ]);

    const found = async (...args: string[]) => (await wms('list', ...args)).json.length;
    expect([
      await found('--status', 'failed', '--endpoint', all[0].webhook_id),
      await found('--status', 'held'),
    ]).toEqual([1, 0]);
  });

  it('shows them to people in columns', async () => {
    const { out } = await shell.wmsInWords('deliveries', 'list');

    expect(out).toMatch(
      new RegExp(
        `^${refused} +failed +503 +1 attempt +message\\.sent +${eventId} +\\S+Z +wms listen\n$`,
      ),
    );
  });

  it('says so when there are none, and when there is no such endpoint', async () => {
    const none = await shell.wmsInWords('deliveries', 'list', '--status', 'held');
    const unknown = await shell.wmsInWords('deliveries', 'list', '--endpoint', newId('whk'));

    expect([none.code, none.out]).toEqual([0, 'No deliveries.\n']);
    expect([unknown.code, unknown.err]).toEqual([1, 'No such endpoint or listener.\n']);
  });

  it('shows the exact body and each attempt of one', async () => {
    const { json: one } = await wms('show', refused);

    expect(one).toMatchObject({
      id: refused,
      url: `${receiver.origin}/`,
      attempt_log: [{ number: 1, code: 503, response: 'not now', error: 'status' }],
      schedule: [],
    });
    expect(one.body).toBe(receiver.received[0]?.body);
    const { out } = await shell.wmsInWords('deliveries', 'show', refused);
    expect(out).toContain(
      `${refused} of ${eventId} (message.sent): failed\nto wms listen, ${receiver.origin}/`,
    );
    expect(out).toMatch(/attempt 1 {2}\S+Z {2}503 {2}\d+ ms {2}"not now"\n\{/);
  });

  it('sends one again to the listener: same id and body, a new signature', async () => {
    receiver.answer = () => ({ status: 200 });
    const again = await shell.wmsAnywhere('deliveries', 'resend', refused);
    expect(again.out).toBe(
      `${refused} waits for wms listen: one that runs takes it in a moment, else the next one\n`,
    );
    await eventually(() => answers().length === 2, PATIENT);

    const [first, second] = receiver.received;
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, eventId]);
    const { json } = await wms('show', refused);
    expect([json.status, json.attempts]).toEqual(['succeeded', 2]);
  });

  it('sends again all that the listener refused', async () => {
    receiver.answer = () => ({ status: 500 });
    const events = await sentEvents(shell.database, shell.ctx.organizationId, 3);
    await eventually(() => answers().length === 5, PATIENT);
    const failed = async () => (await wms('list', '--status', 'failed')).json;
    const [{ webhook_id: id }] = await failed();
    receiver.answer = () => ({ status: 200 });
    receiver.received.length = 0;

    const { out } = await shell.wmsAnywhere('webhook', 'resend', '--endpoint', id);
    await eventually(() => answers().length === 8, PATIENT);

    expect(out).toContain(`${id} of ${shell.ctx.organizationId} (wms listen): 3 are sent again\n`);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(events);
    expect(await failed()).toEqual([]);
  });

  it('says so when one is left as it is, because it was sent again a moment ago', async () => {
    const { ctx } = shell;
    const { id: endpointId } = await anEndpoint(ctx, receiver.origin);
    const { id } = await sendTestEvent(ctx, endpointId, {});
    const set = (what: string) =>
      rowsOf(ctx, `update webhook_deliveries set ${what} where id = $1`, [id]);
    const resend = async () => (await shell.wmsInWords('deliveries', 'resend', id)).out;

    await set(`${SUCCEEDED}, resent_at = now() + interval '1 minute'`);
    const left = await resend();
    await set("resent_at = now() - interval '1 minute'");
    const again = await resend();

    expect(left).toBe(
      `${id} is succeeded: nothing was added, for it is being sent or was sent again a moment ago\n`,
    );
    expect(again).toBe(`${id} is pending: it goes to Pedidos at once\n`);
  });

  it('says of one that waits its turn behind others that nothing was added', async () => {
    const { ctx } = shell;
    const { id: endpointId } = await anEndpoint(ctx, receiver.origin);
    await pauseEndpoint(ctx, endpointId);
    const { id } = await sendTestEvent(ctx, endpointId, {});
    await rowsOf(ctx, "update webhook_deliveries set status = 'pending' where id = $1", [id]);
    await rowsOf(ctx, "update webhook_endpoints set status = 'active' where id = $1", [endpointId]);

    const { out } = await shell.wmsInWords('deliveries', 'resend', id);

    expect(out).toBe(
      `${id} is pending: nothing was added, for it goes to Pedidos in its turn anyway\n`,
    );
  });

  it('says of a delivery to a deleted endpoint what ended it, and that nothing goes there any more', async () => {
    const { ctx, database } = shell;
    const { id: endpointId } = await anEndpoint(ctx, receiver.origin);
    await pauseEndpoint(ctx, endpointId);
    const { id } = await sendTestEvent(ctx, endpointId, {});
    await deleteEndpoint(ctx, endpointId);
    const parts = { database, clock: { now: () => new Date(), skewMs: 0 }, wake: () => undefined };
    await drainBacklog(parts, { organizationId: ctx.organizationId, endpointId });

    const { out } = await shell.wmsInWords('deliveries', 'show', id);
    expect(out).toMatch(/\(message\.sent\): failed, expired\nto Pedidos, \S+ \(deleted\)\n/);
    const list = await shell.wmsInWords('deliveries', 'list', '--endpoint', endpointId);
    expect(list.out).toMatch(/ Pedidos \(deleted\)\n$/);
    const again = await shell.wmsInWords('deliveries', 'resend', id);
    expect([again.code, again.err]).toEqual([
      1,
      `Pedidos, where ${id} went, is deleted: nothing goes there any more.\n`,
    ]);
  });

  it('knows no delivery of another workspace, and says so', async () => {
    for (const id of [newId('dlv'), 'dlv_1', `dlv_7${'Z'.repeat(25)}`]) {
      const { code, json } = await wms('resend', id);
      expect([code, json.error.code]).toEqual([1, 'not_found']);
      const anywhere = await shell.wmsAnywhere('deliveries', 'show', id);
      expect([anywhere.code, anywhere.err]).toEqual([1, `There is no delivery ${id}.\n`]);
    }
  });
});
