import { describe, expect, it } from '@jest/globals';
import { asSystem } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import { recordEvent } from '../../../src/outbox/record.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { BLOCKED, FAILED, RETRYING, SUCCEEDED } from '../support/ended.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(openWebhookDoor);

const scene = () => anEndpointScene(door);

type Shown = Readonly<Record<string, unknown>>;

/** A delivery of each status, in each lane. */
const LANES: readonly (readonly [string, string | undefined])[] = [
  ['pending', undefined],
  ['pending', 'in_backlog = true'],
  ['retrying', RETRYING],
  ['retrying', "status = 'retrying', in_backlog = true, next_attempt_at = now()"],
  ['held', "status = 'held', in_backlog = true, held_at = now()"],
  ['failed', FAILED],
  ['blocked', BLOCKED],
  ['succeeded', SUCCEEDED],
];
const OPEN = ['pending', 'retrying', 'held'];

describe('the deliveries of an endpoint', () => {
  it('are the last 50, newest first, each as the design decisions have it', async () => {
    const { call, id, deliveries } = await scene();
    const ids = await deliveries(60, SUCCEEDED);

    const { body } = await call('GET', '/deliveries');

    expect(body.data.map((one: Shown) => one['id'])).toEqual(ids.toReversed().slice(0, 50));
    expect(body.data[0]).toEqual({
      id: ids.at(-1),
      webhook_id: id,
      event_id: expect.stringMatching(/^evt_/),
      type: 'message.sent',
      status: 'succeeded',
      code: 200,
      duration_ms: null,
      attempts: 1,
      next_attempt_at: null,
      response: null,
      error: null,
      created_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
    });
    const rest = await call('GET', `/deliveries?cursor=${body.next_cursor}`);
    expect(rest.body.data.map((one: Shown) => one['id'])).toEqual(ids.toReversed().slice(50));
    expect(rest.body.next_cursor).toBeNull();
  });

  it('are those of this endpoint alone', async () => {
    const { call, deliveries, key } = await scene();
    const other = await door.api.call('POST', '/api/v1/webhooks', {
      key,
      body: { name: 'b', url: 'https://b.example.com/', events: ['message.sent'] },
    });
    const [mine] = await deliveries(1);

    const { body } = await door.api.call('GET', `/api/v1/webhooks/${other.body.id}/deliveries`, {
      key,
    });

    expect((await call('GET', '/deliveries')).body.data).toMatchObject([{ id: mine }]);
    expect(body.data).toHaveLength(1);
    expect(body.data[0].id).not.toBe(mine);
  });

  it.each(['active', 'paused'])(
    'of one that is %s are filtered by the status they are shown with, whatever their lane',
    async (state) => {
      const { call, deliveries } = await scene();
      const made: [shown: string, id: string][] = [];
      for (const [status, set] of LANES) {
        const [id = ''] = await deliveries(1, set);
        made.unshift([state === 'paused' && OPEN.includes(status) ? 'held' : status, id]);
      }
      if (state === 'paused') await call('POST', '/pause');

      for (const status of [...OPEN, 'failed', 'blocked', 'succeeded']) {
        const { body } = await call('GET', `/deliveries?status=${status}`);
        const shown = body.data.map((one: Shown) => [one['status'], one['id']]);
        expect([status, shown]).toEqual([status, made.filter(([as]) => as === status)]);
      }
    },
  );

  it('are found by the id of their event, which a request carries as webhook-id', async () => {
    const { call, deliveries, key, ctx } = await scene();
    const { id: second } = await anEndpoint(ctx, 'https://b.example.com/', ['message.sent']);
    const [, mine] = await deliveries(3, FAILED);
    const stranger = await scene();
    const [theirs] = await stranger.deliveries(1);
    const eventOf = async ({ call: ask }: EndpointScene, id = '') =>
      (await ask('GET', `/deliveries/${id}`)).body.event_id;
    const event = await eventOf({ call } as EndpointScene, mine);
    const found = async (query: string, at = call) => {
      const { status, body } = await at('GET', `/deliveries?event_id=${query}`);
      return [status, body.data.map((one: Shown) => one['id']), body.next_cursor];
    };
    const elsewhere = await door.api.call(
      'GET',
      `/api/v1/webhooks/${second}/deliveries?event_id=${event}`,
      { key },
    );

    expect(await found(event)).toEqual([200, [mine], null]);
    expect(await found(`${event}&status=failed`)).toEqual([200, [mine], null]);
    expect(await found(`${event}&status=succeeded`)).toEqual([200, [], null]);
    expect(elsewhere.body.data).toMatchObject([{ event_id: event, webhook_id: second }]);
    for (const none of [newId('evt'), await eventOf(stranger, theirs), 'order-17', mine])
      expect([none, await found(none ?? '')]).toEqual([none, [200, [], null]]);
  });

  it('refuse a status that there is not', async () => {
    const { call } = await scene();

    const refused = await call('GET', '/deliveries?status=lost');

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([{ path: 'status', rule: 'enum' }]);
  });
});

/** Writes down that this delivery was attempted, as the lanes do. */
const attempted = ({ rows }: EndpointScene, id: string, number: number): Promise<unknown> =>
  rows(
    `insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
     select wms.id_day($2), wms.organization(), $2, $3, now(), 503, 12, 'Down', 'status' where $1 <> ''`,
    id,
    number,
  );

describe('one delivery', () => {
  it('shows the exact body, every attempt in order, and when the next ones are due', async () => {
    const one = await scene();
    const [id = ''] = await one.deliveries(
      1,
      `status = 'retrying', attempts = 2, round_attempts = 2, first_attempt_at = now() - interval '40 seconds',
       next_attempt_at = now() + interval '50 seconds'`,
    );
    for (const number of [2, 1]) await attempted(one, id, number);

    const { body } = await one.call('GET', `/deliveries/${id}`);

    const [event] = await one.rows<{ body: string }>(
      'select v.body from events v join webhook_deliveries d on d.event_id = v.id where d.endpoint_id = $1',
    );
    expect(body.body).toBe(event?.body);
    expect(body.attempt_log).toEqual(
      [1, 2].map((number) => ({
        number,
        started_at: expect.stringMatching(/Z$/),
        ...{ code: 503, duration_ms: 12, response: 'Down', error: 'status' },
      })),
    );
    const times = body.schedule.map((at: string) => Date.parse(at));
    expect(body.schedule[0]).toBe(body.next_attempt_at);
    expect(times.slice(1).map((at: number, i: number) => (at - times[i]) / 1_000)).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => 30 * 2 ** n),
    );
  });

  it('has nothing to come when it is finished, or its 24 hours are over', async () => {
    const { call, deliveries } = await scene();
    const sets = [
      ...[SUCCEEDED, FAILED, BLOCKED],
      "status = 'retrying', round_attempts = 3, first_attempt_at = now() - interval '25 hours', next_attempt_at = now()",
    ];
    for (const set of sets) {
      const [id] = await deliveries(1, set);
      expect((await call('GET', `/deliveries/${id}`)).body.schedule).toEqual([]);
    }
  });
});

describe('a member who does not see a conversation', () => {
  it('sees no delivery of its events, may not send one again, and still sees the others', async () => {
    const one = await scene();
    const { ctx } = one;
    const { id: reader, token } = await aMember(ctx, { role: 'admin', visibility: 'assigned' });
    const { id: numberId } = await aNumber(ctx);
    const { id: contactId } = await aContact(ctx);
    const conversationId = await aConversation(ctx, { numberId, contactId });
    const common = { contact_id: contactId, conversation_id: conversationId, number_id: numberId };
    await transact(ctx, (tx) =>
      recordEvent(tx, 'message.sent', {
        message: { id: 'msg_1', text: 'A secret between two' },
        contact: { name: 'Ana', phone: '+5511987654321' },
        number: { id: numberId },
        source: 'member',
        ...common,
      }),
    );
    await asSystem(door.database, (sql) => fanOut(sql, { token: 't', full: [], slow: [] }, 100));
    const hidden = (await one.call('GET', '/deliveries')).body.data.find(
      ({ type }: Shown) => type === 'message.sent',
    );
    await one.rows(`update webhook_deliveries set ${FAILED} where endpoint_id = $1`);
    const test = (await one.call('POST', '/test')).body;
    const path = `/api/v1/webhooks/${one.id}/deliveries`;
    const ask = (method: string, below = '') =>
      door.api.call(method, `${path}${below}`, { key: token });

    // Creating the contact is an event too, of no conversation.
    const shown = (await ask('GET')).body.data.map((row: Shown) => [row['type'], row['id']]);
    expect(shown).toEqual([
      ['message.sent', test.id],
      ['contact.created', expect.anything()],
    ]);
    expect((await ask('GET', `/${test.id}`)).status).toBe(200);
    for (const refused of [
      await ask('GET', `/${hidden.id}`),
      await ask('POST', `/${hidden.id}/resend`),
    ])
      expect([refused.status, refused.text.includes('secret')]).toEqual([404, false]);
    await rowsOf(ctx, 'update conversations set assigned_member_id = $1', [reader]);

    expect((await ask('GET', `/${hidden.id}`)).body.body).toContain('A secret between two');
    expect((await ask('GET')).body.data).toHaveLength(3);
  });

  it('goes through what is out of sight page by page, and misses nothing', async () => {
    const one = await scene();
    const { token } = await aMember(one.ctx, { role: 'admin', visibility: 'assigned' });
    const oldest = (await one.call('POST', '/test')).body.id;
    await one.deliveries(1_100);
    const path = `/api/v1/webhooks/${one.id}/deliveries`;

    const first = await door.api.call('GET', path, { key: token });
    expect(first.body.data).toEqual([]);
    const second = await door.api.call('GET', `${path}?cursor=${first.body.next_cursor}`, {
      key: token,
    });

    expect(second.body).toMatchObject({ data: [{ id: oldest }], next_cursor: null });
  });
});
