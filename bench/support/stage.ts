import { Client, Connection } from '@temporalio/client';
import type { Wake } from '../../src/context.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { openProcesses, type Processes } from '../../test/support/processes/processes.ts';
import { type Cluster, openCluster } from './cluster.ts';
import type { Watched } from './cpu.ts';

/** Servers of the program's own, and what starts the service's processes on them. */
export interface BenchStage {
  readonly cluster: Cluster;
  readonly processes: Processes;
  readonly database: Database;
  readonly client: Client;
  /** As a process of the service has it. */
  readonly wake: Wake;
}

/** One api and one worker, and whose CPU is measured. */
export async function apiAndWorker({ cluster, processes }: BenchStage): Promise<Watched[]> {
  const api = await processes.start('api');
  const worker = await processes.start('worker');
  return [
    { name: 'api', pid: api.pid },
    { name: 'worker', pid: worker.pid },
    { name: 'postgres', pid: cluster.postgresPid, children: true },
    { name: 'temporal', pid: cluster.temporal?.pid ?? 0 },
    { name: 'simulator', pid: processes.simulator.pid },
  ];
}

/** Opens it, plays, and closes it, whatever came of the play. */
export async function onBenchStage<T>(play: (scene: BenchStage) => Promise<T>): Promise<T> {
  await using closing = new AsyncDisposableStack();
  const cluster = await openCluster({ temporal: true });
  closing.defer(() => cluster.close());
  const { databaseUrl } = cluster;
  const temporalAddress = cluster.temporal?.address ?? '';
  const processes = await openProcesses({ databaseUrl, temporalAddress });
  closing.defer(() => processes.close());
  const database = await openDatabase({ url: databaseUrl, poolSize: 4 });
  closing.defer(() => database.close());
  const waker = createWaker({ url: databaseUrl });
  closing.defer(() => waker.close());
  const connection = await Connection.connect({ address: temporalAddress });
  closing.defer(() => connection.close());
  const client = new Client({ connection });
  return await play({ cluster, processes, database, client, wake: waker.wake });
}

/** For what an api process answers by itself: a database, and what starts processes on it. */
export async function openWithoutTemporal(
  closing: AsyncDisposableStack,
): Promise<Pick<BenchStage, 'cluster' | 'processes'>> {
  const cluster = await openCluster({ temporal: false });
  closing.defer(() => cluster.close());
  const { databaseUrl } = cluster;
  const processes = await openProcesses({ databaseUrl, temporalAddress: '127.0.0.1:1' });
  closing.defer(() => processes.close());
  return { cluster, processes };
}
