import { Client, Connection } from '@temporalio/client';
import type { Wake } from '../../src/context.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { type House, openHouse } from '../../test/support/house/house.ts';
import { type Cluster, openCluster } from './cluster.ts';
import type { Watched } from './cpu.ts';

/** Servers of the program's own, and what starts the service's processes on them. */
export interface Scene {
  readonly cluster: Cluster;
  readonly house: House;
  readonly database: Database;
  readonly client: Client;
  /** As a process of the service has it. */
  readonly wake: Wake;
}

/** One api and one worker, and whose CPU is measured. */
export async function apiAndWorker({ cluster, house }: Scene): Promise<Watched[]> {
  const api = await house.start('api');
  const worker = await house.start('worker');
  return [
    { name: 'api', pid: api.pid },
    { name: 'worker', pid: worker.pid },
    { name: 'postgres', pid: cluster.postgresPid, children: true },
    { name: 'temporal', pid: cluster.temporal?.pid ?? 0 },
    { name: 'simulator', pid: house.simulator.pid },
  ];
}

/** Opens it, plays, and closes it, whatever came of the play. */
export async function onScene<T>(play: (scene: Scene) => Promise<T>): Promise<T> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await openCluster({ temporal: true });
    closing.push(() => cluster.close());
    const { databaseUrl } = cluster;
    const temporalAddress = cluster.temporal?.address ?? '';
    const house = await openHouse({ databaseUrl, temporalAddress });
    closing.push(() => house.close());
    const database = await openDatabase({ url: databaseUrl, poolSize: 4 });
    closing.push(() => database.close());
    const waker = createWaker({ url: databaseUrl });
    closing.push(() => waker.close());
    const connection = await Connection.connect({ address: temporalAddress });
    closing.push(() => connection.close());
    const client = new Client({ connection });
    return await play({ cluster, house, database, client, wake: waker.wake });
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
