/** (c) A campaign without pacing, through Temporal and the Cloud API's twin, with all bookkeeping. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign } from '../src/campaigns/service.ts';
import { sendCampaign } from '../src/campaigns/states/transitions.ts';
import type { Context } from '../src/context.ts';
import { createKeyring, type Keyring } from '../src/crypto/keyring.ts';
import { inWorkspace } from '../src/db/database.ts';
import { first } from '../src/db/sql.ts';
import { newId } from '../src/ids.ts';
import { addNumber } from '../src/numbers/service.ts';
import { createSegment } from '../src/segments/service.ts';
import { until } from '../test/support/processes/child.ts';
import { meter, type Usage, type Watched } from './support/cpu.ts';
import { phoneOf, TEXT } from './support/people.ts';
import { runProgram } from './support/programs.ts';
import { type Figure, report } from './support/report.ts';
import { apiAndWorker, type BenchStage, onBenchStage } from './support/stage.ts';
import { aWorkspace, someContacts } from './support/workspaces.ts';

export interface CampaignSizes {
  readonly runs: number;
  readonly recipients: number;
}

export interface CampaignStage extends BenchStage {
  readonly keyring: Keyring;
  readonly watched: readonly Watched[];
}

interface Bare {
  readonly perSecond: number;
  readonly cpuSeconds: number;
}

interface Run {
  /** Messages a second from the first to the last that the simulator accepted. */
  readonly perSecond: number;
  /** Seconds from the call that sends to the campaign's end. */
  readonly wholeSeconds: number;
  /** Seconds from the campaign's end until every recipient is delivered. */
  readonly followedSeconds: number;
  readonly usage: Usage;
}

/** A workspace with so many contacts and a number. */
export async function aShop({ database, keyring, wake }: CampaignStage, contacts: number) {
  const ctx = await aWorkspace(database, wake);
  await someContacts(database, ctx.organizationId, contacts);
  const number = await addNumber(
    ctx,
    { name: 'Bench', phone: phoneOf(900_000), provider: 'sandbox', accessToken: 'bench' },
    keyring,
  );
  return { ctx, number };
}

/** A campaign to all contacts of a shop, by a segment as people address so many; not sent yet. */
export async function aCampaign({ ctx: past, number }: Awaited<ReturnType<typeof aShop>>) {
  // A segment reaches those who were there when the campaign was sent.
  const ctx = { ...past, now: new Date() };
  const rules = { field: 'tag', op: 'has_any', value: ['customer'] } as const;
  const segment = await createSegment(ctx, { name: newId('seg'), rules });
  const campaign = await createCampaign(ctx, {
    name: 'Bench',
    number_id: number.id,
    target: 'segment',
    segment_id: segment.id,
    contact_ids: [],
    group_ids: [],
    text: TEXT,
    when: null,
    pace: null,
  });
  return { ctx, campaignId: campaign.id, phoneNumberId: number.phoneNumberId };
}

/** Two small queries instead of a large one, so that polling does not distort the measurement. */
const isDone = async (
  { database }: CampaignStage,
  { organizationId }: Context,
): Promise<boolean> => {
  const text = 'select status from campaigns';
  const row = await inWorkspace(database, organizationId, (sql) =>
    first<{ status: string }>(sql, text, [], 'bench-done'),
  );
  return row?.status === 'done';
};

const isFollowed = async (
  { database }: CampaignStage,
  { organizationId }: Context,
): Promise<boolean> => {
  const text =
    "select exists (select from campaign_recipients where status <> 'delivered') as open";
  const row = await inWorkspace(database, organizationId, (sql) =>
    first<{ open: boolean }>(sql, text, [], 'bench-followed'),
  );
  return row?.open === false;
};

/**
 * One campaign from the call that sends it until every recipient is delivered.
 *
 * @param latencyMs how long the gateway takes for each answer
 */
export async function runCampaign(
  stage: CampaignStage,
  recipients: number,
  latencyMs: number,
): Promise<Run> {
  await stage.processes.simulator.faults({ latency_ms: latencyMs });
  const { ctx, campaignId, phoneNumberId } = await aCampaign(await aShop(stage, recipients));
  await sleep(500);
  const used = meter(stage.watched);
  const startedAt = performance.now();
  await sendCampaign(ctx, campaignId);
  const options = { timeoutMs: 120_000, everyMs: 100 };
  await until('the campaign is done', () => isDone(stage, ctx), options);
  const doneAt = performance.now();
  await until('every recipient is delivered', () => isFollowed(stage, ctx), options);
  const followedAt = performance.now();
  const usage = used();
  const times = (await stage.processes.simulator.accepted())
    .filter((entry) => entry.phone_number_id === phoneNumberId && entry.wamid !== null)
    .map((entry) => entry.t);
  if (times.length !== recipients)
    throw new Error(`${times.length} messages of ${recipients} were accepted`);
  const sending = (Math.max(...times) - Math.min(...times)) / 1_000;
  return {
    perSecond: recipients / sending,
    wholeSeconds: (doneAt - startedAt) / 1_000,
    followedSeconds: (followedAt - doneAt) / 1_000,
    usage,
  };
}

function figures(
  runs: readonly Run[],
  bare: readonly Bare[],
  recipients: number,
  limits: { perSecond: number; cpu: number },
): Figure[] {
  const cpu = (names: readonly string[]) =>
    runs.map(({ usage }) => {
      const seconds = names.reduce((sum, name) => sum + (usage.seconds[name] ?? 0), 0);
      return (seconds / recipients) * 1_000;
    });
  return [
    {
      what: 'messages/s, first to last accepted',
      values: runs.map((one) => one.perSecond),
      atLeast: limits.perSecond,
      bare: bare.map((loop) => loop.perSecond),
    },
    {
      what: 'messages/s, call to campaign done',
      values: runs.map((one) => recipients / one.wholeSeconds),
    },
    {
      what: 'then until all are delivered, s',
      digits: 1,
      values: runs.map((one) => one.followedSeconds),
    },
    {
      what: 'CPU s per 1,000: api, worker and postgres',
      digits: 3,
      values: cpu(['api', 'worker', 'postgres']),
      atMost: limits.cpu,
      bare: bare.map((loop) => (loop.cpuSeconds / recipients) * 1_000),
    },
    ...['api', 'worker', 'postgres', 'temporal', 'simulator', 'driver'].map((name) => ({
      what: `CPU s per 1,000: ${name}`,
      digits: 3,
      values: cpu([name]),
    })),
  ];
}

async function measure(
  stage: CampaignStage,
  sizes: CampaignSizes,
  gateway: { latencyMs: number; perSecond: number },
): Promise<boolean> {
  const { runs, recipients } = sizes;
  const done: Run[] = [];
  const bare: Bare[] = [];
  for (let n = 0; n < runs; n++) {
    done.push(await runCampaign(stage, recipients, gateway.latencyMs));
    bare.push(
      await runProgram<Bare>('bare/sends.ts', {
        BARE_TARGET: stage.processes.simulator.url,
        BARE_COUNT: String(recipients),
      }),
    );
    // What the loop's own statuses cause is over before the next run is measured.
    await sleep(2_000);
  }
  const after = gateway.latencyMs === 0 ? 'at once' : `after ${gateway.latencyMs} ms`;
  return report(
    `(c) a campaign of ${recipients} without pacing, a gateway that answers ${after}, status webhooks on; ` +
      `${runs} runs; bare: undici, 64 in flight`,
    figures(done, bare, recipients, { perSecond: gateway.perSecond, cpu: 0.5 }),
    done.map((one) => one.usage.elsewhere),
  );
}

/** Throws when a recipient is lost or written to twice. */
export const benchCampaign = (sizes: CampaignSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const keyring = createKeyring(scene.processes.encryptionKeys);
    const stage = { ...scene, keyring, watched: await apiAndWorker(scene) };
    await runCampaign(stage, Math.min(1_000, sizes.recipients), 0);
    const slow = await measure(stage, sizes, { latencyMs: 50, perSecond: 1_200 });
    const immediate = await measure(stage, sizes, { latencyMs: 0, perSecond: 3_000 });
    return slow && immediate;
  });
