import { beforeEach, describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { openRetryStage } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

// Due by the stage's clock, too, which stands still while they are made.
const NEW = `status = 'pending', in_backlog = true, owned_by_workflow = false, lease_token = null,
  lease_until = now() - interval '10 minutes'`;
const DOWN = 'update webhook_endpoints set failures_in_row = 20 where id = $1';

describe('the backlog of an endpoint that is down', () => {
  it('gives twenty probes in five seconds, however often it is looked at for retries', async () => {
    const { drain, rows } = await stage.scene(60, NEW);
    await rows(DOWN);
    // One of them is a retry whose time comes, so that the looks follow each other sooner.
    await rows(
      `update webhook_deliveries set status = 'retrying', attempts = 1, round_attempts = 1, first_attempt_at = now(),
         next_attempt_at = now() + interval '1 hour', lease_until = now() + interval '1 hour'
       where id = (select max(id) from webhook_deliveries where endpoint_id = $1)`,
    );
    const moved: number[] = [];
    let freshAt: string | undefined;
    for (const afterMs of [0, 750, 750, 3_500]) {
      stage.clock.ms += afterMs;
      const step = await drain(freshAt);
      freshAt = step.freshAt;
      moved.push(step.moved);
    }

    expect(moved).toEqual([20, 0, 0, 20]);
  });

  it('does not let an endpoint that has recovered wait for them', async () => {
    const { drain, rows } = await stage.scene(40, NEW);
    await rows(DOWN);
    const step = await drain();
    await rows('update webhook_endpoints set failures_in_row = 0 where id = $1');
    stage.clock.ms += 300;

    expect(step).toMatchObject({ next: 'look', moved: 20, waitMs: 5_000 });
    expect(await drain(step.freshAt)).toMatchObject({ moved: 20 });
  });
});
