import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { CampaignProgress } from '../../../src/campaigns/rules.ts';
import { timeSkipping, workflowBundle } from '../../support/env.ts';
import { keepHistory } from '../../support/histories.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  environment = await timeSkipping();
});
afterAll(() => environment.teardown());

const MOST_EVENTS = 4_096;
const BATCHES_A_RUN = 360;

/** A campaign that has so many batches left, each of one message, with a wait for the pace in between. */
function careful(batches: number) {
  let left = batches;
  const progress = (): CampaignProgress => ({
    stage: left > 0 ? 'sending' : 'done',
    waitMs: left > 0 ? 5_875 : 0,
    sent: batches - left,
    delivered: 0,
    lost: 0,
    left,
    minutesToGo: Math.ceil(left / 10),
    frozen: true,
  });
  return {
    advanceCampaign: async () => progress(),
    sendCampaignBatch: async () => {
      left -= 1;
      return progress();
    },
  };
}

describe('a campaign that goes on for days, ten messages a minute', () => {
  it('never has a run of more than 4,096 events, and goes on in the next one', async () => {
    const taskQueue = `careful-${randomUUID()}`;
    const { client, nativeConnection: connection } = environment;
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowBundle,
      activities: careful(BATCHES_A_RUN + 40),
    });
    const workflowId = `campaign:cmp_${randomUUID()}`;

    const lengths = await worker.runUntil(async () => {
      const handle = await client.workflow.start('sendCampaign', {
        taskQueue,
        workflowId,
        args: [{ organizationId: 'org_1', campaignId: 'cmp_1' }],
      });
      await handle.result();
      const firstRun = client.workflow.getHandle(workflowId, handle.firstExecutionRunId);
      await keepHistory(firstRun, 'send-campaign-shorter-runs');
      return runsOf(handle.firstExecutionRunId);
    });

    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MOST_EVENTS);
    // Most of what is allowed is used: 100,000 people are not as many runs.
    expect(lengths[0]).toBeGreaterThan(MOST_EVENTS * 0.9);

    async function runsOf(firstRunId: string): Promise<number[]> {
      const found: number[] = [];
      let runId: string | null = firstRunId;
      while (runId) {
        const run: WorkflowHandle = client.workflow.getHandle(workflowId, runId);
        const history = await run.fetchHistory();
        found.push(history.events?.length ?? 0);
        const last = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
        runId = last?.newExecutionRunId ?? null;
      }
      return found;
    }
  }, 300_000);
});
