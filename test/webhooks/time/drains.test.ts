import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import type { drainEndpoint } from '../../../workflows/webhooks.ts';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { nothingLeft } from './support/play.ts';
import { aDeliveryScene, afterAttempt, type DeliveryScene, HOUR_MS } from './support/scene.ts';

const stage = opened(openDeliveryStage);

type Handle = WorkflowHandle<typeof drainEndpoint>;

/** A failing endpoint whose deliveries wait for their fourth attempt, and the workflow that drains it. */
async function draining(): Promise<{ scene: DeliveryScene; handle: Handle }> {
  const scene = await aDeliveryScene(stage, { failing: true });
  await stage.advance(afterAttempt(3));
  const handle = stage.environment.client.workflow.getHandle<typeof drainEndpoint>(
    `endpoint:${scene.endpointId}`,
  );
  return { scene, handle };
}

const statuses = async ({ endpointId }: DeliveryScene): Promise<string[]> => {
  const rows = await stage.rows<{ status: string }>(
    'select distinct status from webhook_deliveries where endpoint_id = $1',
    [endpointId],
  );
  return rows.map(({ status }) => status);
};

describe('the workflow of a backlog', () => {
  it('holds everything while its endpoint is paused, and ends; another one brings it all once resumed', async () => {
    const { scene, handle } = await draining();

    await pauseEndpoint(await scene.context(), scene.endpointId);
    await stage.settle();
    expect(await handle.result()).toMatch(/paused/);
    await keepHistory(handle, 'drain-endpoint-held');
    expect(await statuses(scene)).toEqual(['held']);

    scene.answer(() => ({ status: 200 }));
    await resumeEndpoint(await scene.context(), scene.endpointId);
    await stage.settle();
    expect(await handle.result()).toBe('Nothing waits any more.');
    await keepHistory(handle, 'drain-endpoint-resumed');
    expect(await statuses(scene)).toEqual(['succeeded']);
    await nothingLeft(scene);
  });

  it('ends everything when its endpoint is deleted', async () => {
    const { scene, handle } = await draining();
    const requests = scene.requests().length;

    await deleteEndpoint(await scene.context(), scene.endpointId);
    await stage.settle();

    expect(await handle.result()).toMatch(/deleted/);
    await keepHistory(handle, 'drain-endpoint-deleted');
    expect(await statuses(scene)).toEqual(['failed']);
    await stage.advance(HOUR_MS);
    expect(scene.requests()).toHaveLength(requests);
    await nothingLeft(scene);
  });

  it('that an operator cancels leaves everything held, until the endpoint is resumed', async () => {
    const { scene, handle } = await draining();

    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('cancelled');
    await keepHistory(handle, 'drain-endpoint-cancelled');
    expect(await statuses(scene)).toEqual(['held']);
    await stage.advance(HOUR_MS);
    expect(scene.requests()).toHaveLength(3);

    scene.answer(() => ({ status: 200 }));
    await resumeEndpoint(await scene.context(), scene.endpointId);
    await stage.advance(HOUR_MS);
    expect(await statuses(scene)).toEqual(['succeeded']);
    await nothingLeft(scene);
  });
});
