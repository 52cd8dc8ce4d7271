import { beforeEach, describe, expect, it } from '@jest/globals';
import { transact } from '../../../src/db/transact.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import { openRetryStage, RETRYING } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

describe('a pause that comes while an attempt is about to be made', () => {
  it('is carried out for what was under way in the lane once that has ended', async () => {
    const inLane = `${RETRYING}, owned_by_workflow = false`;
    const { ctx, endpointId, rows, drain, stored } = await stage.scene(1, inLane);
    await rows(`update webhook_deliveries set lease_token = 'a-process', lease_until = now() + interval '30 seconds'
      where endpoint_id = $1`);
    await pauseEndpoint(ctx(), endpointId);
    expect(await drain()).toMatchObject({ next: 'look', stage: 'holding', waitMs: 1_000 });

    await rows('update webhook_deliveries set lease_token = null where endpoint_id = $1');

    expect(await drain()).toMatchObject({ next: 'end' });
    expect(await stored()).toMatchObject({ status: 'held', in_backlog: true });
  });

  it.each([
    ['in the lane', 'owned_by_workflow = false, lease_token = null'],
    ['by its workflow', 'owned_by_workflow = true'],
  ])('gives no time to what began %s after the pause', async (_, set) => {
    const { ctx, endpointId, rows, attempt, drain, stored } = await stage.scene(1, RETRYING);
    await pauseEndpoint(ctx(), endpointId);
    await rows(`update webhook_deliveries d set ${set}, first_attempt_at = e.paused_at + interval '10 seconds'
      from webhook_endpoints e where e.id = d.endpoint_id and e.id = $1`);
    await attempt();
    await drain();
    expect(await stored()).toMatchObject({ status: 'held' });

    stage.clock.ms += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);
    await drain();

    const first_attempt_at = stage.clock.now();
    expect(await stored()).toMatchObject({ status: 'pending', first_attempt_at });
  });
});

it('a look at the backlog releases nothing once a pause is answered that it had to wait for', async () => {
  const inBacklog = 'in_backlog = true, owned_by_workflow = false, lease_until = created_at';
  const { ctx, endpointId, drain, stored } = await stage.scene(1, inBacklog);

  const { looked } = await transact(ctx(), async (tx) => {
    await pauseEndpoint(tx, endpointId);
    const looked = drain();
    await untilWaiting(stage.database.system);
    return { looked };
  });

  expect(await looked).toMatchObject({ moved: 0 });
  expect(await stored()).toMatchObject({ status: 'held', in_backlog: true });
});

it.each([
  ['in the lane', ''],
  ['in the backlog', ', in_backlog = true'],
])(
  'a pause while no worker runs takes no time from what was not attempted yet and waits %s',
  async (_, set) => {
    const fresh = `owned_by_workflow = false, lease_token = null, first_attempt_at = now()${set}`;
    const { ctx, endpointId, stored } = await stage.scene(1, fresh);
    expect(await stored()).toMatchObject({ status: 'pending', attempts: 0 });

    await pauseEndpoint(ctx(), endpointId);
    stage.clock.ms += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);

    const left = new Date(String((await stored())?.['first_attempt_at'])).getTime();
    expect(stage.clock.ms - left).toBeLessThan(3_600_000);
  },
);

it('what a pause stopped is held since the pause, however late that is carried out', async () => {
  const { ctx, endpointId, drain, stored } = await stage.scene(1, 'in_backlog = true');
  const pausedAt = stage.clock.now();
  await pauseEndpoint(ctx(), endpointId);

  stage.clock.ms += 3 * 3_600_000;
  await drain();

  expect(await stored()).toMatchObject({ status: 'held', held_at: pausedAt });
});
