import { NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import type { Deps } from '../activities/deps.ts';
import { failureInterceptor } from '../activities/failure.ts';
import { createActivities } from '../activities/index.ts';
import { tracingInterceptor } from '../activities/tracing.ts';
import type { Presence } from './relay/processes/presence.ts';
import { keepTemporalSetUp, setUpTemporal } from './relay/temporal-setup.ts';
import { workflowBundle } from './temporal/bundle.ts';
import type { Temporal } from './temporal/connection.ts';

export interface WorkerOptions {
  readonly temporal: Temporal;
  readonly taskQueue: string;
  readonly cacheDir: string;
  readonly deps: Deps;
  readonly showServer: Presence['showServer'];
  /** How Temporal names this process; its own way without. */
  readonly identity?: string;
  /** The release that this process runs, for Temporal's Worker Versioning; without it workers have no versions. */
  readonly buildId?: string | undefined;
}

export interface RunningWorker {
  /** Null while it runs, else what happened to it. */
  problem(): string | null;
  /** Lets activities finish within the grace time, then ends. */
  stop(): Promise<void>;
}

/**
 * What says `PINNED` in its own file ends on the release that it began on; all else goes on with the current one, and
 * must fit it (`patched`), for it may live for years.
 */
const deploymentOf = (deploymentName: string, buildId: string): WorkerDeploymentOptions => ({
  useWorkerVersioning: true,
  version: { deploymentName, buildId },
  defaultVersioningBehavior: 'AUTO_UPGRADE',
});

/** Runs this process's share of all workflows and activities. */
export async function startWorker({
  temporal,
  taskQueue,
  cacheDir,
  deps,
  showServer,
  identity,
  buildId,
}: WorkerOptions): Promise<RunningWorker> {
  const { address, namespace, apiKey, tls } = temporal.address;
  await setUpTemporal({ temporal, taskQueue });
  const bundle = await workflowBundle(cacheDir);
  const connection = await NativeConnection.connect({
    address,
    ...(apiKey ? { apiKey } : {}),
    ...(tls ? { tls } : {}),
  });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    ...(identity ? { identity } : {}),
    ...(buildId ? { workerDeploymentOptions: deploymentOf(taskQueue, buildId) } : {}),
    workflowBundle: bundle,
    activities: createActivities(deps),
    interceptors: {
      activity: [() => ({ inbound: tracingInterceptor }), () => ({ inbound: failureInterceptor })],
    },
    // Longer than an attempt's 10 seconds, so that a deploy loses none and doubles none.
    shutdownGraceTime: '15s',
    // A killed worker's cached workflows move to another one after a second, not after ten.
    stickyQueueScheduleToStartTimeout: '1s',
    // One that is not kept is replayed whenever it wakes: a hundred dead endpoints have five retries each.
    maxCachedWorkflows: 600,
    // Attempts at servers that hang wait for 10 seconds each, and cost nothing meanwhile.
    maxConcurrentActivityTaskExecutions: 200,
  });
  const setUp = keepTemporalSetUp({ temporal, taskQueue, showServer }, deps.log);
  setUp.start();
  let ended: string | null = null;
  const running = worker.run().catch((error: unknown) => {
    ended = `The Temporal worker ended: ${error instanceof Error ? error.message : String(error)}`;
    deps.log.error({ err: error }, 'the Temporal worker ended');
  });
  return {
    problem: () =>
      ended ??
      (worker.getState() === 'RUNNING'
        ? null
        : `The Temporal worker is ${worker.getState().toLowerCase()}.`),
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all([running, setUp.stop()]);
      await connection.close();
    },
  };
}
