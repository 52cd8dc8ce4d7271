import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { ReminderProgress } from '../../src/reminders/rules.ts';
import { devServer, workflowBundle } from '../support/env.ts';
import { eventually } from '../support/waiting.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  const { address } = devServer();
  environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
});
afterAll(() => environment?.teardown());

const MOST_EVENTS = 1_000;
/** Of one more look: it began and ended, and the workflow was told. */
const EVENTS_TO_COME = 4;

const progress = (stage: ReminderProgress['stage']): ReminderProgress => ({
  stage,
  waitMs: 0,
  left: stage === 'running' ? 7 : 0,
});

describe('a reminder whose history is long enough for a new run', () => {
  it('is cancelled by a cancel that it is told of together with the end of its last look', async () => {
    const taskQueue = `between-${randomUUID()}`;
    const workflowId = `reminder:rem_${randomUUID()}`;
    const { client, nativeConnection: connection } = environment;
    const handle = client.workflow.getHandle(workflowId);
    const followed = () => Worker.create({ connection, taskQueue, workflowBundle });
    const first = await followed();
    const isAway = first.run();
    const last = Promise.withResolvers<void>();
    let isOver = false;
    let cancelled = false;
    const looks = await Worker.create({
      connection,
      taskQueue,
      activities: {
        advanceReminder: async () => {
          if (isOver) return progress(cancelled ? 'cancelled' : 'done');
          const { historyLength } = await handle.describe();
          if (historyLength + EVENTS_TO_COME > MOST_EVENTS) {
            first.shutdown();
            await isAway;
            isOver = true;
            last.resolve();
          }
          return progress('running');
        },
        cancelReminder: async () => {
          cancelled = true;
        },
      },
    });

    const outcome = await looks.runUntil(async () => {
      const args = [{ organizationId: 'org_1', reminderId: 'rem_1' }];
      const started = await client.workflow.start('runReminder', { taskQueue, workflowId, args });
      await last.promise;
      await eventually(async () => !(await handle.describe()).raw.pendingActivities?.length);
      await handle.cancel();
      await (await followed()).runUntil(started.result().catch(() => {}));
      const { status, runId } = await handle.describe();
      return { status: status.name, isFirstRun: runId === started.firstExecutionRunId };
    });

    expect(outcome).toEqual({ status: 'CANCELLED', isFirstRun: true });
    expect(cancelled).toBe(true);
  });
});
