/**
 * (y) Twice the processes: two apis and two workers around one database, and two cells, each with a database and a
 * Temporal namespace of its own on the same servers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { openDatabase } from '../../src/db/database.ts';
import { DAY_MS } from '../../src/durations.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { until } from '../../test/support/processes/child.ts';
import { openProcesses } from '../../test/support/processes/processes.ts';
import { aCampaign, aShop, type CampaignStage } from '../campaign.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { cpuOf, meter, type Usage } from '../support/cpu.ts';
import { median, printTable, printTitle, seen, written } from '../support/report.ts';
import { apiAndWorker } from '../support/stage.ts';
import { sendAll } from './workspaces.ts';

export interface CellSizes {
  readonly recipients: number;
  readonly runs: number;
}

const THREE_DAYS_MS = 3 * DAY_MS;

async function openNamespace(connection: Connection, namespace: string): Promise<Client> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(THREE_DAYS_MS),
  });
  const client = new Client({ connection, namespace });
  await until('the namespace is known', async () => (await client.workflow.count()).count === 0);
  return client;
}

/** Everything that configuration gives a cell: `DATABASE_URL`, `TEMPORAL_NAMESPACE` and its own processes. */
async function openCell(
  whole: Cluster,
  connection: Connection,
  name: string,
  closing: AsyncDisposableStack,
): Promise<CampaignStage> {
  const own = await whole.another(name);
  const cluster = { ...whole, ...own };
  const client = await openNamespace(connection, name);
  const processes = await openProcesses({
    databaseUrl: own.databaseUrl,
    temporalAddress: whole.temporal?.address ?? '',
    environment: { TEMPORAL_NAMESPACE: name },
  });
  closing.defer(() => processes.close());
  const database = await openDatabase({ url: own.databaseUrl, poolSize: 4 });
  closing.defer(() => database.close());
  const waker = createWaker({ url: own.databaseUrl });
  closing.defer(() => waker.close());
  const scene = { cluster, processes, database, client, wake: waker.wake };
  const keyring = createKeyring(processes.encryptionKeys);
  const stage = { ...scene, keyring, watched: await apiAndWorker(scene) };
  await sendAll(stage, [await aCampaign(await aShop(stage, 1_000))]);
  return stage;
}

interface Sent {
  readonly perSecond: number;
  readonly usage: Usage;
}

/** A campaign in each cell at the same time. */
async function send(
  cells: readonly CampaignStage[],
  recipients: number,
  watched: CampaignStage['watched'],
): Promise<Sent> {
  const shops = [];
  for (const cell of cells) shops.push(await aShop(cell, recipients / cells.length));
  const used = meter(watched);
  const sent = await Promise.all(
    shops.map(async (shop, n) => sendAll(cells[n] as CampaignStage, [await aCampaign(shop)])),
  );
  const usage = used();
  // Each shop's run is in its own cell's namespace, and nowhere else.
  await sleep(1_000);
  for (const [n, { ctx }] of shops.entries())
    for (const [m, { client }] of cells.entries()) {
      const { count } = await client.workflow.count(`WmsWorkspaceId = '${ctx.organizationId}'`);
      if (count > 0 !== (n === m)) throw new Error(`${count} runs of cell ${n} in cell ${m}`);
    }
  return { perSecond: recipients / Math.max(...sent.map(({ seconds }) => seconds)), usage };
}

const rowOf = (what: string, runs: readonly Sent[], recipients: number): string[] => {
  const cpu = (names: readonly string[]) =>
    runs.map(({ usage }) => (cpuOf(usage, names) / recipients) * 1_000);
  const shown = (values: readonly number[], digits: number) =>
    `${written(median(values), digits)} (${values.map((value) => written(value, digits)).join(', ')})`;
  return [
    what,
    shown(
      runs.map(({ perSecond }) => perSecond),
      0,
    ),
    shown(cpu(['api', 'worker', 'api 2', 'worker 2', 'postgres']), 3),
    shown(cpu(['temporal']), 3),
  ];
};

/** Throws when a recipient is lost, or a workflow runs in the other cell's namespace. */
export async function benchCells({ recipients, runs }: CellSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const whole = await openCluster({ temporal: true });
  closing.defer(() => whole.close());
  const connection = await Connection.connect({ address: whole.temporal?.address ?? '' });
  closing.defer(() => connection.close());
  const one = await openCell(whole, connection, 'cell-one', closing);
  const again = async (cells: readonly CampaignStage[], watched: CampaignStage['watched']) => {
    const all: Sent[] = [];
    for (let run = 0; run < runs; run++) all.push(await send(cells, recipients, watched));
    return all;
  };
  const rows = [seen(rowOf('one api, one worker', await again([one], one.watched), recipients))];

  const api = await one.processes.start('api', { PORT: String(await freePort()) });
  const worker = await one.processes.start('worker');
  const more = [
    { name: 'api 2', pid: api.pid },
    { name: 'worker 2', pid: worker.pid },
  ];
  const crowd = await again([one], [...one.watched, ...more]);
  rows.push(seen(rowOf('two apis, two workers, one database', crowd, recipients)));
  await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);

  const two = await openCell(whole, connection, 'cell-two', closing);
  const others = two.watched
    .filter(({ name }) => name === 'api' || name === 'worker')
    .map(({ name, pid }) => ({ name: `${name} 2`, pid }));
  const cells = await again([one, two], [...one.watched, ...others]);
  rows.push(seen(rowOf('two cells, each one api, one worker', cells, recipients)));
  printTitle(
    `(y) a campaign to ${recipients} recipients in all, answers at once; ${runs} runs`,
    [],
  );
  printTable([
    ['', 'messages/s', 'CPU s per 1,000: apis, workers, PostgreSQL', 'Temporal'],
    ...rows,
  ]);
  return true;
}
