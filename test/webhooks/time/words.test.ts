import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { resendDelivery } from '../../../src/webhooks/deliveries/resending.ts';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { opened } from '../../support/opened.ts';
import { aDeliveryScene, afterAttempt, type DeliveryScene } from './support/scene.ts';

const stage = opened(openDeliveryStage);

/** What its timers say in the Temporal UI. */
async function timersOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  const timers = (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer);
  return timers.map(({ userMetadata }) =>
    defaultPayloadConverter.fromPayload(userMetadata?.summary as Payload),
  );
}

/** What it says there about itself. */
async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const said = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return said.currentDetails;
}

const workflowOf = ({ endpointId, eventId }: DeliveryScene): WorkflowHandle =>
  stage.environment.client.workflow.getHandle(`delivery:${endpointId}:${eventId}`);

const TIMERS = ['attempt 2 of 12', 'attempt 3 of 12'];
const NEXT = 'The last answer was 500. The next is due at ';

describe('the workflow of a delivery tells operators', () => {
  it('how many of its twelve attempts were made', async () => {
    const scene = await aDeliveryScene(stage);
    await stage.advance(afterAttempt(2));

    expect(await timersOf(workflowOf(scene))).toEqual(TIMERS);
    expect(await detailsOf(workflowOf(scene))).toContain(`Made 2 attempts of 12. ${NEXT}`);
  });

  it('how many of the twelve since it was sent again, and how many in all', async () => {
    const scene = await aDeliveryScene(stage);
    scene.answer(() => ({ status: 200 }));
    await stage.settle();
    scene.answer(() => ({ status: 500 }));
    await resendDelivery(await scene.context(), scene);
    await stage.advance(afterAttempt(2));

    expect((await scene.row()).attempts).toBe(3);
    expect(await timersOf(workflowOf(scene))).toEqual(TIMERS);
    const made = 'Made 2 attempts of 12, 3 in all. ';
    expect(await detailsOf(workflowOf(scene))).toContain(made + NEXT);
  });
});
