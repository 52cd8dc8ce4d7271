import { activityInfo } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { SendingDeps } from '../../../src/campaigns/batches/deps.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { timeSkipping } from '../../support/env.ts';
import { openSendingTest, type SendingTest } from './sending.ts';
import { type CampaignWorker, runCampaignWorker } from './worker.ts';

/** The workflow's time, as the server skips it. */
const skippedClock = {
  now: () => new Date(activityInfo().currentAttemptScheduledTimestampMs),
  skewMs: 0,
};

/** Campaigns that send by the clock of a server that skips time. */
export interface SkippedTest {
  readonly test: SendingTest;
  readonly environment: TestWorkflowEnvironment;
  readonly worker: CampaignWorker;
  close(): Promise<void>;
}

export async function openSkippedTest(): Promise<SkippedTest> {
  const test = await openSendingTest();
  const environment = await timeSkipping();
  const parts = { database: test.database, wake: () => {} };
  const deps: SendingDeps = {
    ...test.deps,
    clock: skippedClock,
    contextFor: (organizationId, actor) =>
      createContext(parts, { organizationId, actor, now: skippedClock.now() }),
  };
  const { client, nativeConnection: connection } = environment;
  const worker = await runCampaignWorker({ client, connection, deps });
  const close = async (): Promise<void> => {
    await worker.stop();
    await environment.teardown();
    await test.close();
  };
  return { test, environment, worker, close };
}
