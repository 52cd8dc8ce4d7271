import { expect, it } from '@jest/globals';
import type { deliverWebhook } from '../../../workflows/webhooks.ts';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { aDeliveryScene, afterAttempt } from './support/scene.ts';

const stage = opened(openDeliveryStage);

it('a delivery whose workflow is cancelled during the attempt that hands it over is ended', async () => {
  const scene = await aDeliveryScene(stage);
  const { organizationId } = await scene.context();
  await stage.settle();
  await stage.advance(10_000);
  // It fails now and then, so that the other one has a workflow too; then the failure by which it begins to fail leaves
  // this one to the backlog.
  scene.answer(() => ({ status: 200 }));
  await sentEvents(stage.database, organizationId);
  await stage.settle();
  scene.answer(() => ({ status: 500 }));
  await sentEvents(stage.database, organizationId);
  await stage.settle();
  await scene.change('webhook_endpoints', 'failures_in_row = 4');
  const handle = stage.environment.client.workflow.getHandle<typeof deliverWebhook>(
    `delivery:${scene.endpointId}:${scene.eventId}`,
  );
  scene.answer(async () => {
    if (scene.requests().length === 2) await handle.cancel();
    return { status: 500 };
  });

  await stage.advance(afterAttempt(3));

  await expect(handle.result()).rejects.toThrow('cancelled');
  await keepHistory(handle, 'deliver-webhook-cancelled-as-it-is-handed-over');
  const ended = { status: 'failed', error: 'cancelled_by_operator', attempts: 2 };
  expect(await scene.row()).toMatchObject({ ...ended, in_backlog: false });
  expect(scene.requests()).toHaveLength(2);
});
