import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { drainBacklog, holdBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { startDrains, startStrays } from '../../../src/webhooks/lanes/backlog/drains.ts';
import { opened } from '../../support/opened.ts';
import { FAILED } from '../support/ended.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(openWebhookDoor);

const IN_BACKLOG = `status = 'retrying', attempts = 1, round_attempts = 1, first_attempt_at = now() - interval '1 hour',
  next_attempt_at = now() - interval '1 second', in_backlog = true,
  lease_until = now() - interval '1 second'`;
const IN_LANE = `status = 'retrying', attempts = 1, round_attempts = 1, first_attempt_at = now() - interval '1 hour',
  next_attempt_at = now() + interval '1 hour', lease_token = null, lease_until = now() + interval '1 hour'`;

const parts = () => ({ database: door.database, clock: door.api.deps.clock, wake: () => {} });
const drain = ({ workspaceId, id }: EndpointScene) =>
  drainBacklog(parts(), { organizationId: workspaceId, endpointId: id });
const cancelDrain = ({ ctx, id }: EndpointScene) => holdBacklog(ctx, id);

interface Row {
  readonly status: string;
  readonly parked: boolean;
}

const found = ({ rows }: EndpointScene) =>
  rows<Row>(
    'select status, in_backlog as parked from webhook_deliveries where endpoint_id = $1 order by id',
  );

describe('a backlog whose drain an operator cancels', () => {
  it('stays held when more comes to it, which goes out, until the endpoint is resumed', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(2, IN_BACKLOG);
    await cancelDrain(scene);
    const held = { status: 'held', parked: true };
    expect(await found(scene)).toEqual([held, held]);

    await scene.deliveries(1, IN_BACKLOG);
    expect(
      await startDrains(sqlOver(door.database.system), [{ endpointId: scene.id, due: null }]),
    ).toBe(1);
    expect(await drain(scene)).toEqual({
      next: 'end',
      moved: 1,
      says: 'What an operator had held stays so.',
    });
    expect(await found(scene)).toEqual([held, held, { status: 'retrying', parked: false }]);
    expect(await startStrays(sqlOver(door.database.system))).toBe(0);

    expect((await scene.call('POST', '/resume')).status).toBe(200);
    await drain(scene);
    const sent = { status: 'pending', parked: false };
    expect(await found(scene)).toEqual([sent, sent, { status: 'retrying', parked: false }]);
  });

  it('is held once, and in the log, however often that is repeated', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(1, IN_BACKLOG);

    await cancelDrain(scene);
    await cancelDrain(scene);

    expect(await scene.log()).toEqual(['webhook.held']);
  });

  it('leaves to retries in the lane their times', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(1, IN_BACKLOG);
    const [waiting] = await scene.deliveries(1, IN_LANE);

    await cancelDrain(scene);

    expect(await found(scene)).toEqual([
      { status: 'held', parked: true },
      { status: 'retrying', parked: false },
    ]);
    const { body } = await scene.call('GET', `/deliveries/${waiting}`);
    expect(body).toMatchObject({ status: 'retrying', next_attempt_at: expect.any(String) });
  });

  it('has what a resend of all had not put there yet, and a resume sends it all', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(1_000, FAILED);
    expect((await scene.call('POST', '/resend')).body).toEqual({ resent: 1_000 });
    expect(await drain(scene)).toMatchObject({ next: 'look', stage: 'resending' });

    await cancelDrain(scene);

    const first = Array.from({ length: 200 }, () => ({ status: 'pending', parked: false }));
    const rest = Array.from({ length: 800 }, () => ({ status: 'held', parked: true }));
    expect(await found(scene)).toEqual([...first, ...rest]);
    await scene.deliveries(1, IN_BACKLOG);
    expect(await drain(scene)).toMatchObject({ next: 'end', moved: 1 });
    expect((await scene.call('POST', '/resume')).status).toBe(200);
    expect(await drain(scene)).toMatchObject({ next: 'look', stage: 'draining' });
  });

  it('of a paused endpoint is held as of the pause, the lane with it', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(1, IN_BACKLOG);
    await scene.deliveries(1, IN_LANE);
    await scene.call('POST', '/pause');

    await cancelDrain(scene);

    const held = await scene.rows<{ asOfPause: boolean }>(
      `select d.held_at = e.paused_at as "asOfPause" from webhook_deliveries d
       join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
       where d.endpoint_id = $1 and d.status = 'held' and d.in_backlog`,
    );
    expect(held).toEqual([{ asOfPause: true }, { asOfPause: true }]);
  });
});

describe('what a fan-out that saw a pause holds', () => {
  it('goes out, though it was committed after the resume had looked', async () => {
    const scene = await anEndpointScene(door);
    await scene.call('POST', '/pause');
    await scene.call('POST', '/resume');
    expect(await drain(scene)).toMatchObject({ next: 'end' });
    const held = "status = 'held', in_backlog = true, held_at = now()";
    await scene.deliveries(1, `${held}, lease_until = now() - interval '1 second'`);

    expect(await startStrays(sqlOver(door.database.system))).toBe(1);
    await drain(scene);

    expect(await found(scene)).toEqual([{ status: 'pending', parked: false }]);
  });
});

describe('a backlog of which no drain was told', () => {
  it('is found while the next look is an hour away, which is no sign of one by itself', async () => {
    const scene = await anEndpointScene(door);
    const sql = sqlOver(door.database.system);
    await scene.deliveries(1, `${IN_LANE}, in_backlog = true`);
    await startStrays(sql);
    expect(await drain(scene)).toMatchObject({ next: 'look', stage: 'waiting' });
    expect(await startStrays(sql)).toBe(0);

    // Whoever put it there was killed before it could tell the drain.
    await scene.deliveries(1, "in_backlog = true, lease_until = now() - interval '1 minute'");

    expect(await startStrays(sql)).toBe(1);
    expect(await startStrays(sql)).toBe(0);
    await drain(scene);
    const [, fresh] = await found(scene);
    expect(fresh).toEqual({ status: 'pending', parked: false });
    expect(await startStrays(sql)).toBe(0);
  });
});
