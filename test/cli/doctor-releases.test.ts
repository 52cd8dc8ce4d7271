import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { examine } from '../../src/cli/commands/doctor.ts';
import { announcePresence } from '../../src/relay/processes/presence.ts';
import { connectTemporal, type Temporal } from '../../src/temporal/connection.ts';
import { servedBy, standstill } from '../../src/temporal/releases.ts';
import { openOwnDatabase } from '../support/database.ts';
import { devServer, workflowBundle } from '../support/env.ts';
import { eventually } from '../support/waiting.ts';

const { address } = devServer();
const stopping: (() => Promise<void>)[] = [];
let connection: NativeConnection;
let temporal: Temporal;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? os.tmpdir(), 'doctor-'));
  connection = await NativeConnection.connect({ address });
  temporal = connectTemporal({ address, namespace: 'default' });
});
afterEach(() => Promise.all(stopping.splice(0).map((stop) => stop())));
afterAll(async () => {
  await connection.close();
  await temporal.close();
});

/** A worker of a release, as `src/temporal-worker.ts` makes it. */
async function work(taskQueue: string, buildId?: string): Promise<void> {
  const version = { deploymentName: taskQueue, buildId: buildId ?? '' };
  const named = { useWorkerVersioning: true, version, defaultVersioningBehavior: 'AUTO_UPGRADE' };
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    ...(buildId ? { workerDeploymentOptions: named as never } : {}),
  });
  const running = worker.run();
  stopping.push(async () => {
    worker.shutdown();
    await running;
  });
}

/** As `temporal worker deployment set-current-version` does it; the version is known once a worker of it polls. */
const makeCurrent = (deploymentName: string, buildId: string): Promise<void> =>
  eventually(() =>
    temporal.connection.workflowService
      .setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName, buildId })
      .then(
        () => true,
        () => false,
      ),
  );

const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/none';

/** What it says of the workers. */
async function doctor(taskQueue: string, buildId?: string, url = NO_DATABASE): Promise<string> {
  const findings = await examine({
    NODE_ENV: 'test',
    DATA_DIR: folder,
    DATABASE_URL: url,
    BASE_URL: 'http://127.0.0.1:1',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TASK_QUEUE: taskQueue,
    ...(buildId ? { TEMPORAL_BUILD_ID: buildId } : {}),
  });
  const { ok, says } = findings.find(({ check }) => check === 'workers') ?? {};
  return `${ok ? 'ok' : 'FAIL'} ${says}`;
}

const finds = (says: string, ...asked: Parameters<typeof doctor>): Promise<void> =>
  eventually(async () => (await doctor(...asked)).startsWith(says), {
    instead: () => `doctor does not say: ${says}`,
  });

describe('wms doctor, of workers with the names of releases', () => {
  it('fails until their release is the current one, and names the command', async () => {
    const queue = `releases-${randomUUID()}`;
    const command = `temporal worker deployment set-current-version --deployment-name ${queue} --build-id`;
    await work(queue, 'one');

    await finds(
      `FAIL Workflows go to no release by name, and TEMPORAL_BUILD_ID is one. If it is to take over, run: ${command} one --yes`,
      ...([queue, 'one'] as const),
    );
    await finds(
      `FAIL Workflows go to no release by name, and no such worker runs. Start one, or let those that run take over: ${command} one`,
      queue,
    );
    await makeCurrent(queue, 'one');
    await finds(`ok 1 on the task queue ${queue}, release one`, queue, 'one');
    await work(queue, 'two');
    await finds(
      `FAIL Workflows go to release one, and TEMPORAL_BUILD_ID is two. If it is to take over, run: ${command} two --yes`,
      ...([queue, 'two'] as const),
    );
    await makeCurrent(queue, 'two');
    await finds(`ok 2 on the task queue ${queue}, release two`, queue, 'two');
  });

  it('sees a release that drains behind workers without a name', async () => {
    const queue = `releases-${randomUUID()}`;
    await work(queue, 'one');
    await makeCurrent(queue, 'one');
    await work(queue);

    await makeCurrent(queue, '');

    await eventually(async () => (await servedBy(temporal, queue)).current === undefined);
    // The server writes down that a release drains after it has told the task queue where workflows go.
    await eventually(async () => (await servedBy(temporal, queue)).draining.length > 0);
    expect((await servedBy(temporal, queue)).draining).toEqual(['one']);
  });

  it('is content with workers that have none', async () => {
    const queue = `releases-${randomUUID()}`;
    await work(queue);

    await finds(`ok 1 on the task queue ${queue}`, queue);
  });
});

it('wms doctor misses a worker that was killed, which Temporal remembers for five minutes', async () => {
  const queue = `killed-${randomUUID()}`;
  const database = await openOwnDatabase();
  await work(queue);
  await finds(`ok 1 on the task queue ${queue}`, queue);
  const present = announcePresence(database);
  await present.ready;

  const before = await doctor(queue, undefined, database.url);
  await present.close();

  expect(before).toBe(`ok 1 on the task queue ${queue}`);
  await finds(
    `FAIL No worker polls the task queue ${queue}. Start`,
    queue,
    undefined,
    database.url,
  );
  await database.close();
});

describe('workflows stand still', () => {
  const nothing = { pollers: 1, draining: [], current: undefined };
  const queue = { taskQueue: 'wms', own: undefined };

  it('where a release is current, and those that poll have no name', () => {
    expect(
      standstill({ ...nothing, releases: new Set([undefined]), current: 'one' }, queue),
    ).toMatch(/^Workflows go to release one, and no such worker runs\. .+ --unversioned --yes$/);
  });

  it('where a release that drains has no worker', () => {
    const served = { ...nothing, current: 'two', draining: ['one'] };

    expect(standstill({ ...served, releases: new Set(['two']) }, queue)).toMatch(
      /^Workflows that are pinned to release one wait for a worker of it\. /,
    );
    expect(standstill({ ...served, releases: new Set(['one', 'two']) }, queue)).toBeNull();
  });
});
