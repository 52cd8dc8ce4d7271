/** (c) A campaign to very many at an even pace: memory, history and the pace itself, also while workers die. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { SHARE_OF_CEILING } from '../src/campaigns/pacing.ts';
import { createCampaign } from '../src/campaigns/service.ts';
import { sendCampaign } from '../src/campaigns/transitions.ts';
import type { Context } from '../src/context.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { type Database, inWorkspace, openDatabase } from '../src/db/database.ts';
import { first } from '../src/db/sql.ts';
import { addNumber } from '../src/numbers/service.ts';
import { createWaker } from '../src/relay/waker.ts';
import { until } from '../test/support/house/child.ts';
import { type House, openHouse, type Service } from '../test/support/house/house.ts';
import { openCluster } from './support/cluster.ts';
import { windowsOf } from './support/pace-windows.ts';
import { phoneOf, TEXT } from './support/people.ts';
import { type Figure, report } from './support/report.ts';
import { residentMb, sample } from './support/sampler.ts';
import { aWorkspace, someContacts } from './support/workspaces.ts';

export interface LargeCampaignSizes {
  readonly recipients: number;
  /** Messages a second. */
  readonly pace: number;
  /** Workers killed while it goes on, each replaced at once. */
  readonly kills: number;
}

interface Scene {
  readonly database: Database;
  readonly house: House;
  readonly client: Client;
  readonly wake: () => void;
  readonly sizes: LargeCampaignSizes;
}

/** In pages, for a statement may take 15 seconds. */
const CONTACTS_AT_ONCE = 5_000;

async function aCampaign({ database, house, wake, sizes }: Scene) {
  const ctx = await aWorkspace(database, wake);
  const contactIds: string[] = [];
  for (let from = 0; from < sizes.recipients; from += CONTACTS_AT_ONCE) {
    const count = Math.min(CONTACTS_AT_ONCE, sizes.recipients - from);
    contactIds.push(...(await someContacts(database, ctx.organizationId, count, from)));
  }
  const wishes = { name: 'Bench', phone: phoneOf(900_000), provider: 'sandbox' } as const;
  const keyring = createKeyring(house.encryptionKeys);
  const number = await addNumber(ctx, { ...wishes, accessToken: 'bench' }, keyring);
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows('update numbers set ceiling_per_minute = $1', [
      Math.round((sizes.pace * 60) / SHARE_OF_CEILING),
    ]),
  );
  const campaign = await createCampaign(ctx, {
    name: 'Bench',
    number_id: number.id,
    target: 'contacts',
    segment_id: null,
    contact_ids: contactIds,
    group_ids: [],
    text: TEXT,
    when: null,
    pace: null,
  });
  return { ctx, campaignId: campaign.id, phoneNumberId: number.phoneNumberId };
}

const isDone = async (database: Database, { organizationId }: Context): Promise<boolean> => {
  const row = await inWorkspace(database, organizationId, (sql) =>
    first<{ status: string }>(sql, 'select status from campaigns', [], 'bench-done'),
  );
  return row?.status === 'done';
};

/** Kills spread evenly over the time that the campaign takes, the first after a quarter of its share. */
async function killWorkers({ house, sizes }: Scene, worker: Service): Promise<void> {
  const apartMs = ((sizes.recipients / sizes.pace) * 1_000) / (sizes.kills + 1);
  let current = worker;
  for (let n = 0; n < sizes.kills; n++) {
    await sleep(apartMs);
    await current.kill('SIGKILL');
    current = await house.start('worker');
  }
}

async function longestRun(client: Client): Promise<{ runs: number; events: number }> {
  const lengths: number[] = [];
  for await (const run of client.workflow.list({ query: "WorkflowType = 'sendCampaign'" }))
    lengths.push(run.historyLength);
  return { runs: lengths.length, events: Math.max(...lengths) };
}

async function measure(scene: Scene, worker: Service): Promise<boolean> {
  const { database, house, client, sizes } = scene;
  await house.simulator.faults({ latency_ms: 50 });
  const { ctx, campaignId, phoneNumberId } = await aCampaign(scene);
  const memory = sample(1_000, () => (sizes.kills === 0 ? residentMb(worker.pid) : 0));
  await sendCampaign(ctx, campaignId);
  const killing = killWorkers(scene, worker);
  const timeoutMs = (sizes.recipients / sizes.pace) * 1_000 * 3 + 120_000;
  await until('the campaign is done', () => isDone(database, ctx), { timeoutMs, everyMs: 1_000 });
  await Promise.all([killing, memory.stop()]);
  const accepted = (await house.simulator.accepted()).filter(
    (entry) => entry.phone_number_id === phoneNumberId && entry.wamid !== null,
  );
  const keys = new Set(accepted.map(({ key }) => key));
  if (keys.size !== accepted.length) throw new Error('somebody was sent to twice');
  const windows = windowsOf(
    accepted.map(({ t }) => t),
    sizes.pace,
  );
  const history = await longestRun(client);
  const at = (share: number): number =>
    memory.values[Math.floor((memory.values.length - 1) * share)] ?? Number.NaN;
  const figures: Figure[] = [
    { what: 'accepted', values: [accepted.length] },
    { what: 'runs of the workflow', values: [history.runs] },
    { what: 'events of the longest run', values: [history.events], atMost: 4_096 },
    { what: 'fullest 10 s, % of the pace', digits: 1, values: [windows.most], atMost: 105 },
    {
      what: 'emptiest 10 s, % of the pace',
      digits: 1,
      values: [windows.least],
      // While nobody sends, until a worker's death is noticed, there is no pace to keep.
      ...(sizes.kills === 0 ? { atLeast: 95 } : {}),
    },
    ...(sizes.kills === 0
      ? [0.1, 0.5, 0.9, 1].map((share) => ({
          what: `worker's memory at ${share * 100} %, MB`,
          values: [at(share)],
        }))
      : []),
  ];
  const killed = sizes.kills > 0 ? `, ${sizes.kills} workers killed` : '';
  const title = `(c) a campaign of ${sizes.recipients} at ${sizes.pace} a second${killed}`;
  return report(title, figures, []);
}

/** Throws when somebody is written to twice. */
export async function benchLargeCampaign(sizes: LargeCampaignSizes): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await openCluster({ temporal: true });
    closing.push(() => cluster.close());
    const temporalAddress = cluster.temporal?.address ?? '';
    const house = await openHouse({ databaseUrl: cluster.databaseUrl, temporalAddress });
    closing.push(() => house.close());
    const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 4 });
    closing.push(() => database.close());
    const waker = createWaker({ url: cluster.databaseUrl });
    closing.push(() => waker.close());
    const connection = await Connection.connect({ address: temporalAddress });
    closing.push(() => connection.close());
    await house.start('api');
    const worker = await house.start('worker');
    const client = new Client({ connection });
    const wake = (): void => void waker.wake('events');
    return await measure({ database, house, client, wake, sizes }, worker);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
