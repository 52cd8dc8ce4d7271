import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { sqlOver } from '../../../src/db/database.ts';
import { resendDelivery } from '../../../src/webhooks/deliveries/resending.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { rotateSecret } from '../../../src/webhooks/rotating.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import type { deliverWebhook } from '../../../workflows/webhooks.ts';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { heard, keptItsTimes, nothingLeft } from './support/play.ts';
import {
  aDeliveryScene,
  afterAttempt,
  DAY_MS,
  type DeliveryScene,
  STEPS,
  signedBy,
} from './support/scene.ts';

const stage = opened(openDeliveryStage);

type Handle = WorkflowHandle<typeof deliverWebhook>;

const workflowOf = (endpointId: string, eventId: string): Handle =>
  stage.environment.client.workflow.getHandle(`delivery:${endpointId}:${eventId}`);

/** Nobody hears of it. */
const unheard = (command: string): Promise<unknown> =>
  sqlOver(stage.database.system).rows('delete from facts where type = $1', [command]);

/** A delivery whose first attempt failed, and the workflow that waits for the next. */
async function waiting(): Promise<{ scene: DeliveryScene; handle: Handle }> {
  const scene = await aDeliveryScene(stage);
  await stage.advance(afterAttempt(1));
  return { scene, handle: workflowOf(scene.endpointId, scene.eventId) };
}

describe('the workflow of a delivery', () => {
  it('leaves it to the backlog of its paused endpoint, with the time and attempts it has left', async () => {
    const { scene, handle } = await waiting();

    await pauseEndpoint(await scene.context(), scene.endpointId);
    await stage.settle();

    expect(await handle.result()).toBe('held after 1 attempt');
    await keepHistory(handle, 'deliver-webhook-parked');
    expect(await scene.row()).toMatchObject({
      status: 'held',
      attempts: 1,
      round_attempts: 1,
      in_backlog: true,
      owned_by_workflow: false,
      next_attempt_at: null,
      finished_at: null,
    });
    expect(scene.requests()).toHaveLength(1);
  });

  it('leaves it to the lane that attempts it when it was sent again meanwhile', async () => {
    const { scene, handle } = await waiting();
    scene.answer(() => ({ status: 200 }));

    await resendDelivery(await scene.context(), scene);
    await unheard('delivery.changed');
    await handle.signal('wake');

    expect(await handle.result()).toBe('pending after 1 attempt');
    await keepHistory(handle, 'deliver-webhook-left');
    await stage.settle();
    expect(await scene.row()).toMatchObject({ status: 'succeeded', attempts: 2, round: 2 });
  });

  it('looks again when it is told of a change while it looks', async () => {
    const { scene, handle } = await waiting();
    scene.answer(() => ({ status: 200 }));

    await resendDelivery(await scene.context(), scene);
    // The lane does its part, and tells, before this look is over.
    await handle.signal('wake');

    expect(await handle.result()).toBe('succeeded after 2 attempts');
    await keepHistory(handle, 'deliver-webhook-woken-at-the-end');
    await heard(scene);
    await nothingLeft(scene);
  });

  it.each([
    { answered: 200, attempts: 7, steps: [] },
    { answered: 500, attempts: 18, steps: STEPS },
  ])(
    'that nobody told of sending again makes no attempt of its own at its old time: $answered',
    async ({ answered, attempts, steps }) => {
      const scene = await aDeliveryScene(stage);
      await stage.advance(afterAttempt(6));
      scene.answer(() => ({ status: answered }));
      const resentAt = await stage.now();
      await resendDelivery(await scene.context(), scene);
      await unheard('delivery.changed');

      await stage.advance(DAY_MS);

      expect((await scene.row()).attempts).toBe(attempts);
      await keptItsTimes(scene, [...STEPS.slice(0, 5), null, ...steps], resentAt);
      await heard(scene);
      await nothingLeft(scene);
    },
  );

  it('never attempts it again once its endpoint is deleted', async () => {
    const { scene, handle } = await waiting();

    await deleteEndpoint(await scene.context(), scene.endpointId);
    await stage.settle();

    expect(await handle.result()).toBe('failed after 1 attempt');
    await keepHistory(handle, 'deliver-webhook-deleted');
    expect(scene.requests()).toHaveLength(1);
  });

  it('hands it over to the backlog when its endpoint begins to fail, all but one', async () => {
    const scene = await aDeliveryScene(stage);
    const { organizationId } = await scene.context();
    await stage.settle();
    const events = [scene.eventId];
    // It fails now and then, so that each has a workflow.
    while (events.length < 5) {
      scene.answer(() => ({ status: 200 }));
      await sentEvents(stage.database, organizationId);
      await stage.settle();
      scene.answer(() => ({ status: 500 }));
      events.push(...(await sentEvents(stage.database, organizationId)));
      await stage.settle();
    }
    await stage.advance(afterAttempt(3));

    const handles = events.map((event) => workflowOf(scene.endpointId, event));
    const running = await Promise.all(
      handles.map(async (handle) => (await handle.describe()).status),
    );
    const ended = handles.find((_, n) => running[n]?.name !== 'RUNNING');
    expect(await ended?.result()).toBe('retrying after 2 attempts');
    if (ended) await keepHistory(ended, 'deliver-webhook-handed-over');
    const [owned] = await stage.rows<{ n: number }>(
      'select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and owned_by_workflow',
      [scene.endpointId],
    );
    expect(owned?.n).toBe(1);

    await stage.advance(DAY_MS);
    await keptItsTimes(scene, STEPS);
    await nothingLeft(scene);
  });

  it('tries it at once when an operator asks, before its time', async () => {
    const { scene, handle } = await waiting();
    scene.answer(() => ({ status: 200 }));

    const askedAt = await stage.now();
    await handle.signal('sendNow');

    expect(await handle.result()).toBe('succeeded after 2 attempts');
    await keepHistory(handle, 'deliver-webhook-sent-now-in-its-first-sleep');
    await keptItsTimes(scene, [null], askedAt);
  });

  it('ends it as failed, cancelled by the operator, when it is cancelled', async () => {
    const { scene, handle } = await waiting();

    await handle.cancel();

    await expect(handle.result()).rejects.toThrow('cancelled');
    await keepHistory(handle, 'deliver-webhook-cancelled');
    expect(await scene.row()).toMatchObject({
      status: 'failed',
      error: 'cancelled_by_operator',
      next_attempt_at: null,
    });
    expect(scene.requests()).toHaveLength(1);
  });

  it('ends quietly when the row is not there', async () => {
    const { scene, handle } = await waiting();
    const { organizationId } = await scene.context();
    const { taskQueue } = await handle.describe();
    const { endpointId, eventId } = scene;
    const deliveryId = `dlv_${scene.deliveryId.slice(4, 14)}0000000000000000`;
    const ids = { organizationId, endpointId, eventId, deliveryId };
    const lost = await stage.environment.client.workflow.start<typeof deliverWebhook>(
      'deliverWebhook',
      { workflowId: `lost:${deliveryId}`, taskQueue, args: [ids] },
    );

    expect(await lost.result()).toBe('gone after 0 attempts');
    expect(scene.requests()).toHaveLength(1);
  });
});

describe('the previous secret', () => {
  it('signs second for 24 hours after a rotation, and then no more', async () => {
    const scene = await aDeliveryScene(stage);
    scene.answer(() => ({ status: 200 }));
    const again = async (): Promise<void> => {
      await resendDelivery(await scene.context(), scene);
      await stage.settle();
    };
    await stage.settle();
    const { secret } = await rotateSecret(await scene.context(), scene.endpointId, testKeyring);
    await again();
    await stage.advance(DAY_MS - 10_000);
    await again();
    await stage.advance(10_000);
    await again();

    const signers = [[scene.secret], [secret, scene.secret], [secret, scene.secret], [secret]];
    expect(scene.requests().map((request, n) => signedBy(request, signers[n] ?? []))).toEqual([
      ...[true, true, true, true],
    ]);
  });
});
