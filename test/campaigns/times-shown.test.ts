import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { CampaignProgress } from '../../src/campaigns/rules.ts';
import { timeSkipping, workflowBundle } from '../support/env.ts';
import { keepHistory } from '../support/histories.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  environment = await timeSkipping();
});
afterAll(() => environment.teardown());

const QUIET_MS = 5 * 3_600_000;
const PACE_MS = 5_000;

/** A campaign in its quiet hours, with three batches to send after them at its pace. */
function afterQuietHours() {
  let left = 3;
  const progress = (waitMs: number): CampaignProgress => ({
    stage: left > 0 ? 'sending' : 'done',
    waitMs: left > 0 ? waitMs : 0,
    sent: 3 - left,
    delivered: 0,
    lost: 0,
    left,
    minutesToGo: 1,
    frozen: true,
  });
  return {
    advanceCampaign: async () => ({ ...progress(QUIET_MS), waitingFor: 'quiet_hours' }),
    sendCampaignBatch: async () => {
      left -= 1;
      return progress(PACE_MS);
    },
  };
}

it('a campaign that goes on after its quiet hours is listed no more as due at their end', async () => {
  const taskQueue = `quiet-${randomUUID()}`;
  const { client, nativeConnection: connection } = environment;
  const activities = afterQuietHours();
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities });

  const shown = await worker.runUntil(async () => {
    const handle = await client.workflow.start('sendCampaign', {
      taskQueue,
      workflowId: `campaign:cmp_${randomUUID()}`,
      args: [{ organizationId: 'org_1', campaignId: 'cmp_1' }],
    });
    await handle.result();
    await keepHistory(handle, 'send-campaign-next-at-cleared');
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
      const fields = upsert?.searchAttributes?.indexedFields;
      if (!fields?.['WmsStage']) return [];
      const nextAt = fields['WmsNextAt'];
      const time: unknown = nextAt ? defaultPayloadConverter.fromPayload(nextAt) : null;
      return [[defaultPayloadConverter.fromPayload(fields['WmsStage']), time !== null]];
    });
  });

  expect(shown).toEqual([
    ['sending', true],
    ['sending', false],
    ['done', false],
  ]);
});

it('a campaign that waits says what for', async () => {
  const taskQueue = `waits-${randomUUID()}`;
  const { client, nativeConnection: connection } = environment;
  const waits: CampaignProgress['waitingFor'][] = [
    ...(['number', 'another_try', 'under_way', 'warm_up', null] as const),
  ];
  const progress = (): CampaignProgress => ({
    stage: waits.length > 0 ? 'sending' : 'done',
    waitMs: waits.length > 0 ? PACE_MS : 0,
    sent: 0,
    delivered: 0,
    lost: 0,
    left: 2,
    minutesToGo: 1,
    frozen: true,
    waitingFor: waits.shift() ?? null,
  });
  const activities = {
    advanceCampaign: async () => progress(),
    sendCampaignBatch: async () => progress(),
  };
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities });

  const said = await worker.runUntil(async () => {
    const handle = await client.workflow.start('sendCampaign', {
      taskQueue,
      workflowId: `campaign:cmp_${randomUUID()}`,
      args: [{ organizationId: 'org_1', campaignId: 'cmp_1' }],
    });
    await handle.result();
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ timerStartedEventAttributes: timer, userMetadata }) =>
      timer && userMetadata?.summary
        ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)]
        : [],
    );
  });

  expect(said).toEqual([
    'wait for its number, which WhatsApp holds back, 2 left',
    'wait for another try, 2 left',
    'wait for sends under way, 2 left',
    "wait for tomorrow's share of new people, 2 left",
    'wait for the pace, 2 left',
  ]);
});
