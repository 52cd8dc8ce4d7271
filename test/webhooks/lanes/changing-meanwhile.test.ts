import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { rotateSecret } from '../../../src/webhooks/rotating.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { untilWaiting } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { openRetryStage, RETRYING, type RetryStage } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

type Scene = Awaited<ReturnType<RetryStage['scene']>>;

/** The endpoint is changed, and the caller answered, while a workflow waits for the row that it claims. */
async function whileClaiming(
  { first, attempt }: Scene,
  change: () => Promise<unknown>,
): Promise<{ readonly next: string }> {
  const { system } = stage.database;
  const other = await system.connect();
  await other.query('begin');
  await other.query('select from webhook_deliveries where id = $1 for update', [first.deliveryId]);
  const attempted = attempt();
  await untilWaiting(system);
  await change();
  await other.query('commit');
  other.release();
  return attempted;
}

describe('a retry that was about to begin', () => {
  it.each([
    ['pausing', pauseEndpoint, 'held'],
    ['deleting', deleteEndpoint, 'failed'],
  ])('does not once %s its endpoint is answered', async (_, change, status) => {
    const scene = await stage.scene(1, RETRYING);

    const step = await whileClaiming(scene, () => change(scene.ctx(), scene.endpointId));

    expect(stage.receiver.received).toEqual([]);
    expect(step).toMatchObject({ next: 'end', status, attempts: 1 });
    expect(await scene.stored()).toMatchObject({ status, attempts: 1, lease_token: null });
  });

  it('is signed with both secrets once a rotation is answered', async () => {
    const scene = await stage.scene(1, RETRYING);

    const step = await whileClaiming(scene, () =>
      rotateSecret(scene.ctx(), scene.endpointId, testKeyring),
    );

    const signatures = stage.receiver.received.map(({ headers }) => headers['webhook-signature']);
    expect(signatures.map((all) => String(all).split(' ').length)).toEqual([2]);
    expect(step).toMatchObject({ next: 'wait', attempts: 2 });
  });
});

it('what a resend of all has not come to stays as it ended once the endpoint is deleted', async () => {
  const failed = `status = 'failed', error = 'http_500', attempts = 12, round_attempts = 12,
    finished_at = now() - interval '1 hour', lease_token = null, lease_until = null`;
  const { ctx, endpointId, drain, stored } = await stage.scene(1, failed);
  await inWorkspace(stage.database, ctx().organizationId, (sql) =>
    sql.rows('update webhook_endpoints set resend_before = now() where id = $1', [endpointId]),
  );
  const before = await stored();

  await deleteEndpoint(ctx(), endpointId);
  await drain();

  expect(await stored()).toEqual(before);
});
