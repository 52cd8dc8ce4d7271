import { expect } from '@jest/globals';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, type WorkerOptions } from '@temporalio/worker';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
});

/** Asks the run for something that is started on first use; see test-services.ts. */
async function service(name: string): Promise<string> {
  const base = process.env['TEST_SERVICES'];
  if (!base) throw new TypeError('TEST_SERVICES is not set: run the tests by "npm test"');
  const response = await fetch(`${base}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new TypeError(`${name}: ${text}`);
  return text;
}

const [address, codePath] = await Promise.all([service('dev-server'), service('workflow-bundle')]);

/** The one real Temporal server of the run: use ids and task queues of your own. */
export const devServer = (): { address: string } => ({ address });

/** The address of its web UI. */
export const devServerUi = (): Promise<string> => service('temporal-ui');

/** The workflows of `workflows/index.ts`, bundled once for the run. */
export const workflowBundle: NonNullable<WorkerOptions['workflowBundle']> = { codePath };

/** For calls of Temporal that nobody makes again: a busy machine takes longer than the service waits for one. */
export const PATIENT = { deadlineMs: 60_000 } as const;

const SEARCH_ATTRIBUTES = { WmsWorkspaceId: 2, WmsResourceId: 2, WmsStage: 2, WmsNextAt: 6 };
const ALREADY_EXISTS = 6;

/** Not by the service's own way: this server cannot list what it has. */
async function addSearchAttributes(environment: TestWorkflowEnvironment): Promise<void> {
  const { operatorService } = environment.connection;
  try {
    const searchAttributes = SEARCH_ATTRIBUTES;
    await operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  } catch (error) {
    if ((error as { code?: number }).code !== ALREADY_EXISTS) throw error;
  }
}

/** A file's own: what one file leaves sleeping would wake in the time of the next, find no worker, and stop it. */
function timeServer(): Promise<string> {
  const file = Buffer.from(expect.getState().testPath ?? '').toString('base64url');
  return service(`time-skipping/${process.env['JEST_WORKER_ID']}/${file}`);
}

/** The server hangs up on whoever pings for minutes within one call; time would then be skipped a second time. */
const SELDOM_PINGING = { channelArgs: { 'grpc.keepalive_time_ms': 3_600_000 } };

/**
 * A server that skips time, one for each test file because time is global to a server. Close it by
 * `teardown()`. It has no list, count or schedules: use the dev server for those.
 */
export async function timeSkipping(): Promise<TestWorkflowEnvironment> {
  // `create` is private in the types; the public way to an existing server cannot skip time.
  const { create } = TestWorkflowEnvironment as unknown as {
    create(options: object): Promise<TestWorkflowEnvironment>;
  };
  const environment = await create.call(TestWorkflowEnvironment, {
    server: { type: 'existing' },
    supportsTimeSkipping: true,
    namespace: 'default',
    address: await timeServer(),
    connectionOptions: SELDOM_PINGING,
  });
  await addSearchAttributes(environment);
  return environment;
}
