import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';
import { pauseEndpoint, resumeEndpoint } from '../../src/webhooks/pausing.ts';
import { PATIENT } from '../support/env.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { noteStarted } from '../support/run-folder.ts';
import { eventually } from '../support/waiting.ts';
import { runWebhookWorker } from '../support/webhook-worker.ts';

/** 10,000 by default. */
const LIMIT = 20;
const INVALID_ARGUMENT = 3;
const backoff = { scale: 0.02, jitter: () => 0 };

const { scene, start, anEndpointOf, facts } = relayScene();
let temporal: EmbeddedTemporal;

beforeAll(async () => {
  const dataDir = mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'signals-'));
  temporal = await startTemporal({
    dataDir,
    log: () => {},
    firstPort: 0,
    firstUiPort: 0,
    dynamicConfig: [`history.maximumSignalsPerExecution=${LIMIT}`],
  });
  noteStarted({ pid: temporal.pid, mark: dataDir, signal: 'SIGKILL' });
});
afterAll(() => temporal.stop());

/** Answers why it takes no more signals. */
async function fill(handle: WorkflowHandle): Promise<unknown> {
  for (;;) {
    try {
      await handle.signal('wake');
    } catch (error) {
      return (error as Error).cause;
    }
  }
}

/** How many signals it took, whoever sent them: the relay wakes a retry that is overdue. */
async function signalsOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
}

it('a workflow that takes no more signals while no worker runs counts as woken: nothing waits behind it, and it looks once one runs', async () => {
  const { ctx, workspaceId, endpointId, all } = await anEndpointOf();
  const { client, taskQueue, relay } = await start({
    temporalAddress: temporal.address,
    // Its calls take what they need from these: a refusal would count as failed, not an answer that is late.
    parts: { backoff, ...PATIENT },
  });
  scene.receiver.answer = () => ({ status: 500 });
  const [eventId = ''] = await sentEvents(scene.database, workspaceId);
  await eventually(() => all('retrying', 1));
  await eventually(async () => (await facts(workspaceId)).length === 0);
  const retries = client.workflow.getHandle(`delivery:${endpointId}:${eventId}`);
  const refusal = await fill(retries);
  expect(await signalsOf(retries)).toBe(LIMIT);
  expect(refusal).toMatchObject({ code: INVALID_ARGUMENT });

  await pauseEndpoint(ctx, endpointId);
  await eventually(async () => (await facts(workspaceId)).length === 0);
  expect(relay.figures()).toMatchObject({ commandsFailed: 0 });
  await fill(client.workflow.getHandle(`endpoint:${endpointId}`));
  scene.receiver.answer = () => ({ status: 200 });
  await resumeEndpoint(ctx, endpointId);
  await eventually(async () => (await facts(workspaceId)).length === 0);
  expect(relay.figures()).toMatchObject({ commandsFailed: 0 });

  const stopWorker = await runWebhookWorker({
    temporalAddress: temporal.address,
    taskQueue,
    database: scene.database,
    backoff,
    trustedOrigins: [scene.receiver.origin],
  });
  await eventually(() => all('succeeded', 1));
  expect(scene.receiver.received).toHaveLength(2);
  await stopWorker();
});
