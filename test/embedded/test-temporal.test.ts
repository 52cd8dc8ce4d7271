import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { devServer, timeSkipping, workflowBundle } from '../support/env.ts';

describe('the Temporal servers of the tests', () => {
  let environment: TestWorkflowEnvironment;

  beforeAll(async () => {
    environment = await timeSkipping();
  });

  afterAll(async () => {
    await environment.teardown();
  });

  it('let a month pass in a moment', async () => {
    const before = await environment.currentTimeMs();

    await environment.sleep('30 days');

    expect((await environment.currentTimeMs()) - before).toBeGreaterThanOrEqual(30 * 86_400_000);
  });

  it('run the bundle of our workflows', async () => {
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: 'harness',
      workflowBundle,
    });

    await expect(worker.runUntil(Promise.resolve('ran'))).resolves.toBe('ran');
  });

  it('include a real one that lists workflows', async () => {
    const connection = await Connection.connect(devServer());

    const { count } = await connection.workflowService.countWorkflowExecutions({
      namespace: 'default',
      query: 'WmsStage = "nowhere"',
    });
    await connection.close();

    expect(Number(count)).toBe(0);
  });
});
