/** (w) Campaigns and reads, by how many workspaces share the same work. */
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { until } from '../../test/support/processes/child.ts';
import { READ_PATH } from '../authenticated-read.ts';
import { aCampaign, aShop, type CampaignStage } from '../campaign.ts';
import { cpuOf, meter } from '../support/cpu.ts';
import { startLoadGenerator } from '../support/load-generator.ts';
import { printTable, printTitle, seen, written } from '../support/report.ts';
import { apiAndWorker, onBenchStage } from '../support/stage.ts';
import { someKeys } from '../support/workspaces.ts';

export interface WorkspaceGrowthSizes {
  /** How many there are, one time after the other. */
  readonly workspaces: readonly number[];
  /** Of all campaigns together. */
  readonly recipients: number;
  /** Of reading. */
  readonly seconds: number;
}

/** All keys together: enough that no key's limit is reached. */
const KEYS = 200;
/** Keep an api busy and wait for so little that no load is shed, even beside other work. */
const CONNECTIONS = 12;

type Campaign = Awaited<ReturnType<typeof aCampaign>>;

/** Campaigns at once; nothing else may have sent in this database and not be over. */
export async function sendAll(stage: CampaignStage, campaigns: readonly Campaign[]) {
  const client = new pg.Client({ connectionString: stage.cluster.bareUrl });
  await client.connect();
  const followed = async (): Promise<boolean> => {
    const { rows } = await client.query(
      "select 1 from campaign_recipients where status <> 'delivered' limit 1",
    );
    return rows.length === 0;
  };
  const used = meter(stage.watched);
  const startedAt = performance.now();
  for (const { ctx, campaignId } of campaigns) await sendCampaign(ctx, campaignId);
  await until(
    'every campaign is done',
    async () => {
      const { rows } = await client.query("select 1 from campaigns where status <> 'done' limit 1");
      return rows.length === 0;
    },
    { timeoutMs: 120_000, everyMs: 100 },
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await until('every recipient is delivered', followed, { timeoutMs: 120_000, everyMs: 100 });
  const usage = used();
  await client.end();
  return { seconds, usage };
}

async function read(
  stage: CampaignStage,
  campaigns: readonly Campaign[],
  { seconds }: WorkspaceGrowthSizes,
) {
  const keys: string[] = [];
  for (const { ctx } of campaigns) keys.push(...(await someKeys(ctx, KEYS / campaigns.length)));
  const file = path.join(stage.cluster.folder, `keys-${campaigns.length}`);
  fs.writeFileSync(file, keys.join('\n'), { mode: 0o600 });
  const generator = startLoadGenerator(file);
  const url = `http://127.0.0.1:${stage.processes.apiPort}${READ_PATH}`;
  await generator.ask({ url, seconds: 2, connections: CONNECTIONS });
  const used = meter(stage.watched);
  const load = await generator.ask({ url, seconds, connections: CONNECTIONS });
  const usage = used();
  await generator.close();
  if (load.failures > 0) throw new Error(`${load.failures} of the requests were refused`);
  return { ...load, usage };
}

async function measured(
  stage: CampaignStage,
  workspaces: number,
  sizes: WorkspaceGrowthSizes,
): Promise<string[]> {
  const campaigns: Campaign[] = [];
  for (let n = 0; n < workspaces; n++)
    campaigns.push(await aCampaign(await aShop(stage, sizes.recipients / workspaces)));
  const sent = await sendAll(stage, campaigns);
  const asked = await read(stage, campaigns, sizes);
  return [
    written(workspaces, 0),
    written(sizes.recipients / sent.seconds, 0),
    written((cpuOf(sent.usage, ['api', 'worker', 'postgres']) / sizes.recipients) * 1_000, 3),
    written((cpuOf(sent.usage, ['temporal']) / sizes.recipients) * 1_000, 3),
    written(asked.answers / asked.seconds, 0),
    written((cpuOf(asked.usage, ['api', 'postgres']) / asked.answers) * 1_000, 2),
  ];
}

/** Throws when a recipient is lost or a request is refused. */
export const benchWorkspaceGrowth = (sizes: WorkspaceGrowthSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const keyring = createKeyring(scene.processes.encryptionKeys);
    const stage = { ...scene, keyring, watched: await apiAndWorker(scene) };
    await sendAll(stage, [await aCampaign(await aShop(stage, 1_000))]);
    const rows: string[][] = [];
    for (const workspaces of sizes.workspaces)
      rows.push(seen(await measured(stage, workspaces, sizes)));
    printTitle(
      `(w) ${sizes.recipients} recipients in all, answers at once; then reads of a page of 50 contacts for ${sizes.seconds} s`,
      [],
    );
    printTable([
      [
        'workspaces',
        'messages/s',
        'CPU s per 1,000: ours',
        'Temporal',
        'reads/s',
        'CPU s per 1,000 reads',
      ],
      ...rows,
    ]);
    return true;
  });
