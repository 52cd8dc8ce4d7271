import { isGrpcServiceError } from '@temporalio/client';
import type { Temporal } from './connection.ts';

/** Who polls for the workflows of a task queue. A release without a name is `undefined`. */
export interface Served {
  readonly pollers: number;
  readonly releases: ReadonlySet<string | undefined>;
  /** To which all workflows go but those that are pinned to another. */
  readonly current: string | undefined;
  /** Releases that were current, and have workflows that are pinned to them. */
  readonly draining: readonly string[];
}

/** Temporal's numbers for the kind of a task queue, for a worker with the name of a release, and for a release that drains. */
const WORKFLOWS = 1;
const VERSIONED = 2;
const DRAINING = 4;
/** gRPC's. */
const NOT_FOUND = 5;

/** It remembers a poller for five minutes. */
export async function servedBy(
  { connection, address: { namespace } }: Pick<Temporal, 'connection' | 'address'>,
  taskQueue: string,
): Promise<Served> {
  const { pollers, versioningInfo } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOWS,
  });
  const releases = (pollers ?? []).map(({ deploymentOptions: named }) =>
    named?.workerVersioningMode === VERSIONED ? (named.buildId ?? undefined) : undefined,
  );
  const current = versioningInfo?.currentDeploymentVersion?.buildId ?? undefined;
  const draining = await drainingOf(connection, { namespace, deploymentName: taskQueue });
  return { pollers: releases.length, releases: new Set(releases), current, draining };
}

async function drainingOf(
  { workflowService }: Temporal['connection'],
  deployment: { readonly namespace: string; readonly deploymentName: string },
): Promise<string[]> {
  const { workerDeploymentInfo } = await workflowService
    .describeWorkerDeployment(deployment)
    .catch((error: unknown) => {
      // No worker with the name of a release was ever here.
      if (isGrpcServiceError(error) && error.code === NOT_FOUND)
        return { workerDeploymentInfo: null };
      throw error;
    });
  return (workerDeploymentInfo?.versionSummaries ?? [])
    .filter((version) => version.status === DRAINING)
    .map(({ deploymentVersion }) => deploymentVersion?.buildId ?? '');
}

/** Why workflows stand still although workers poll, and what to do; null if they do not. */
export function standstill(
  { releases, current, draining }: Served,
  { taskQueue, own }: { readonly taskQueue: string; readonly own: string | undefined },
): string | null {
  const release = own ?? [...releases].find((name) => name !== undefined);
  const takeOver =
    `temporal worker deployment set-current-version --deployment-name ${taskQueue} ` +
    `${release ? `--build-id ${release}` : '--unversioned'} --yes`;
  const where = current ? `go to release ${current}` : 'go to no release by name';
  if (own && own !== current)
    return `Workflows ${where}, and TEMPORAL_BUILD_ID is ${own}. If it is to take over, run: ${takeOver}`;
  if (!releases.has(current))
    return `Workflows ${where}, and no such worker runs. Start one, or let those that run take over: ${takeOver}`;
  const left = draining.filter((name) => !releases.has(name));
  if (left.length > 0)
    return `Workflows that are pinned to release ${left.join(' and ')} wait for a worker of it. See docs/upgrading.md, Releases with names.`;
  return null;
}
