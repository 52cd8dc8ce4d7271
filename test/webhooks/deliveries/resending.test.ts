import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../../src/db/database.ts';
import { LOCK_ENDPOINT } from '../../../src/webhooks/lanes/backlog/queries.ts';
import { lockDelivery } from '../../../src/webhooks/lanes/retries/queries.ts';
import { untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import {
  AGAIN,
  BLOCKED,
  FAILED,
  RETRYING,
  STORED,
  type Stored,
  SUCCEEDED,
} from '../support/ended.ts';
import { anEndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(() => openWebhookDoor({ clock: { now, skewMs: 0 } }));
/** Moves on by itself with the machine's clock, or stands still where a test says. */
let stoodStillAtMs: number | undefined;
const now = (): Date => new Date(stoodStillAtMs ?? Date.now());

afterEach(() => {
  stoodStillAtMs = undefined;
});

const scene = () => anEndpointScene(door);

describe('sending one delivery again', () => {
  it.each([
    ['failed', FAILED],
    ['blocked', BLOCKED],
    ['retrying', RETRYING],
    ['succeeded', SUCCEEDED],
  ])('of one that is %s is at once, with a new budget and the same id and body', async (_, set) => {
    const { call, rows, deliveries, log } = await scene();
    const [id] = await deliveries(1, set);
    const before = (await call('GET', `/deliveries/${id}`)).body;

    const again = await call('POST', `/deliveries/${id}/resend`);

    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      id,
      event_id: before.event_id,
      status: 'pending',
      attempts: before.attempts,
      next_attempt_at: null,
      finished_at: null,
    });
    expect(await rows<Stored>(STORED)).toEqual([AGAIN]);
    const after = (await call('GET', `/deliveries/${id}`)).body;
    expect(after.body).toBe(before.body);
    expect(after.schedule).toHaveLength(12);
    expect(await log()).toEqual(['delivery.resent']);
  });

  it('ends the timer that waits for its next attempt, when there is one', async () => {
    const { call, deliveries, commands, rows } = await scene();
    const [waiting] = await deliveries(1, RETRYING);
    const [ended] = await deliveries(1, `${FAILED}, owned_by_workflow = true`);

    await call('POST', `/deliveries/${waiting}/resend`);
    await call('POST', `/deliveries/${ended}/resend`);

    expect(await commands()).toEqual(['delivery.changed']);
    const [told] = await rows<{ payload: string }>(
      "select payload from facts where not is_event and $1 <> ''",
    );
    expect(JSON.parse(told?.payload ?? '{}')).toMatchObject({ deliveryId: waiting });
  });

  it.each([
    ['pending', 'attempts = 0'],
    ['held', "status = 'held', in_backlog = true, held_at = now()"],
    [
      'being attempted right now',
      `${RETRYING}, lease_token = 'somebody', lease_until = now() + interval '10 seconds'`,
    ],
  ])('of one that is %s changes nothing and answers the record', async (_, set) => {
    const { call, rows, deliveries, commands, log } = await scene();
    const [id] = await deliveries(1, set);
    const before = [await rows('select * from webhook_deliveries where endpoint_id = $1')];

    const answer = await call('POST', `/deliveries/${id}/resend`);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await call('GET', '/deliveries')).body.data[0]);
    expect([await rows('select * from webhook_deliveries where endpoint_id = $1')]).toEqual(before);
    expect([await commands(), await log()]).toEqual([[], []]);
  });

  it('twice at once, and again when it failed within two seconds, is one: a double click', async () => {
    const { call, rows, deliveries } = await scene();
    const [id] = await deliveries(1, FAILED);
    const resend = () => call('POST', `/deliveries/${id}/resend`);
    const began = Date.now();
    stoodStillAtMs = began;

    const answers = await Promise.all([resend(), resend(), resend()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await rows(`update webhook_deliveries set ${FAILED} where endpoint_id = $1`);
    expect((await resend()).body.status).toBe('failed');
    expect((await rows<Stored>(STORED))[0]?.round).toBe(2);

    stoodStillAtMs = began + 2_000;
    expect((await resend()).body.status).toBe('pending');
    expect((await rows<Stored>(STORED))[0]?.round).toBe(3);
  });

  it('that waits for somebody who has locked the endpoint keeps nobody from the delivery', async () => {
    const { call, rows, deliveries, id: endpointId } = await scene();
    const [id] = await deliveries(1, FAILED);

    const answer = await asSystem(door.database, async (sql) => {
      await sql.rows('select from webhook_endpoints where id = $1 for update', [endpointId]);
      const asked = call('POST', `/deliveries/${id}/resend`);
      await untilWaiting(door.database.system);
      const free = `select from webhook_deliveries where endpoint_id = $1 and id = $2 for update skip locked`;
      expect(await rows(free, id)).toHaveLength(1);
      return { asked };
    });

    expect((await answer.asked).body.status).toBe('pending');
  });

  describe('that meets an attempt which has the delivery and goes on to the endpoint', () => {
    const meeting = async (pauseMs: number) => {
      const { call, workspaceId, deliveries, id: endpointId } = await scene();
      const [id] = await deliveries(1, FAILED);
      return inWorkspace(door.database, workspaceId, async (sql) => {
        await lockDelivery(sql, String(id));
        const asked = call('POST', `/deliveries/${id}/resend`);
        await untilWaiting(door.database.system);
        await sleep(pauseMs);
        const locked = await sql.rows(LOCK_ENDPOINT, [workspaceId, endpointId]);
        return { asked, locked };
      });
    };

    it('is done after it', async () => {
      const { asked } = await meeting(0);
      expect((await asked).body.status).toBe('pending');
    });

    it('does not make it fail, even after PostgreSQL has looked for deadlocks', async () => {
      const { asked, locked } = await meeting(1_100);
      expect(locked).toHaveLength(1);
      await asked;
    });
  });

  it('is held while the endpoint is paused, and counts no time', async () => {
    const { call, rows, deliveries } = await scene();
    const [id] = await deliveries(1, FAILED);
    await call('POST', '/pause');

    const answer = await call('POST', `/deliveries/${id}/resend`);

    expect(answer.body.status).toBe('held');
    expect(await rows<Stored>(STORED)).toEqual([{ ...AGAIN, status: 'held', parked: true }]);
    expect(
      await rows('select from webhook_deliveries where endpoint_id = $1 and held_at is not null'),
    ).toHaveLength(1);
  });

  it('answers 404 under another endpoint of the same workspace, and when its own is deleted', async () => {
    const { call, key, deliveries } = await scene();
    const [id] = await deliveries(1, FAILED);
    const wish = { name: 'a', url: 'https://a.example.com/', events: ['message.sent'] };
    const other = await door.api.call('POST', '/api/v1/webhooks', { key, body: wish });
    const path = `/api/v1/webhooks/${other.body.id}/deliveries/${id}`;

    const answers = [
      await door.api.call('GET', path, { key }),
      await door.api.call('POST', `${path}/resend`, { key }),
    ];
    await call('DELETE');
    answers.push(await call('GET', `/deliveries/${id}`));
    answers.push(await call('POST', `/deliveries/${id}/resend`));

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});
