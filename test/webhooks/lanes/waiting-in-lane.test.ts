import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { capacitiesOf } from '../../../src/webhooks/lanes/first-attempts/capacity.ts';
import { claimDue } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { opened } from '../../support/opened.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(openWebhookDoor);

/** Retries in the backlog of an endpoint that is down, each due in so many seconds. */
async function downWith(...dueInSeconds: readonly number[]): Promise<EndpointScene> {
  const scene = await anEndpointScene(door);
  await scene.rows('update webhook_endpoints set failures_in_row = 20 where id = $1');
  for (const seconds of dueInSeconds) {
    const due = `date_trunc('milliseconds', now()) + interval '${seconds} seconds'`;
    await scene.deliveries(
      1,
      `status = 'retrying', attempts = 1, round_attempts = 1, first_attempt_at = now(), in_backlog = true,
       next_attempt_at = ${due}, lease_until = ${due}`,
    );
  }
  return scene;
}

const drain = ({ workspaceId, id }: EndpointScene) =>
  drainBacklog(
    { database: door.database, clock: door.api.deps.clock, wake: () => {} },
    { organizationId: workspaceId, endpointId: id },
  );

const taken = async ({ id }: EndpointScene): Promise<number> => {
  const sql = sqlOver(door.database.system);
  const attempts = await claimDue(sql, { token: 'tests', full: [] }, 100);
  return attempts.filter(({ endpointId }) => endpointId === id).length;
};

interface Waiting {
  readonly status: string;
  readonly parked: boolean;
  /** Milliseconds between its time and the one at which the lane begins it. */
  readonly off: number;
}

const deliveries = ({ rows }: EndpointScene) =>
  rows<Waiting>(
    `select status, in_backlog as parked, extract(epoch from lease_until - next_attempt_at)::float8 * 1000 as off
     from webhook_deliveries where endpoint_id = $1 order by id`,
  );

describe('a retry whose time comes within 20 seconds', () => {
  it('waits for it in the lane, which begins it then and not before; later ones stay in the backlog', async () => {
    const scene = await downWith(18, 180);

    const step = await drain(scene);

    expect(step).toMatchObject({ next: 'look', moved: 1 });
    const [soon, late] = await deliveries(scene);
    expect(soon).toMatchObject({ status: 'retrying', parked: false });
    expect(Math.abs(soon?.off ?? Number.NaN)).toBeLessThan(1_000);
    expect(late).toEqual({ status: 'retrying', parked: true, off: 0 });
    // The next look comes before the later one's time, and not for the sake of the first.
    if (step.next !== 'look') throw new TypeError('it ended');
    expect(step.waitMs).toBeGreaterThan(90_000);
    expect(step.waitMs).toBeLessThanOrEqual(180_000);

    expect(await taken(scene)).toBe(0);
    await scene.rows('update webhook_deliveries set lease_until = now() where endpoint_id = $1');
    expect(await taken(scene)).toBe(1);
  });

  it('begins at its time although the lane is full of others that come later', async () => {
    const scene = await downWith(1);
    await scene.deliveries(
      250,
      `status = 'retrying', attempts = 1, round_attempts = 1, first_attempt_at = now(), in_backlog = false,
       lease_token = null, next_attempt_at = now() + interval '15 seconds', lease_until = now() + interval '15 seconds'`,
    );

    expect(await drain(scene)).toMatchObject({ moved: 1 });
    expect((await deliveries(scene)).filter(({ parked }) => parked)).toEqual([]);
  });

  it('is held there when its endpoint is paused, and ended when that is deleted', async () => {
    const scene = await downWith(12);
    await drain(scene);

    await scene.call('POST', '/pause');
    await drain(scene);
    expect(await deliveries(scene)).toMatchObject([{ status: 'held', parked: true }]);

    const other = await downWith(12);
    await drain(other);
    await other.call('DELETE');
    await drain(other);
    expect(await deliveries(other)).toMatchObject([{ status: 'failed', parked: false }]);
  });
});

describe('a retry whose time comes later', () => {
  it('finds a place in the lane as long as fewer than 200 of its endpoint wait there', async () => {
    const scene = await downWith();
    await scene.deliveries(
      3,
      `status = 'retrying', attempts = 1, in_backlog = false, lease_token = null, lease_until = now() + interval '1 hour'`,
    );
    const { workspaceId: organizationId, id: endpointId } = scene;

    const failed = { organizationId, endpointId, status: 'retrying' } as const;
    const rooms = await capacitiesOf(sqlOver(door.database.system), [failed], true);

    expect(rooms.get(endpointId)?.lane).toBe(197);
  });

  it('is looked for at least every hour, in case nobody told of a change', async () => {
    const scene = await downWith(5 * 3_600);

    expect(await drain(scene)).toMatchObject({ next: 'look', stage: 'waiting', waitMs: 3_600_000 });
  });
});
