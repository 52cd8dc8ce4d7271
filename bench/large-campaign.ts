/** (c) A campaign to very many at an even pace: memory, history, the pace itself, also while workers die, and pauses. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { SHARE_OF_CEILING } from '../src/campaigns/limits/pacing.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../src/campaigns/states/transitions.ts';
import type { Context } from '../src/context.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { type Database, inWorkspace } from '../src/db/database.ts';
import { first } from '../src/db/sql.ts';
import { addNumber } from '../src/numbers/service.ts';
import { until } from '../test/support/processes/child.ts';
import type { Service } from '../test/support/processes/processes.ts';
import { aCampaign } from './campaign.ts';
import { windowsOf } from './support/pace-windows.ts';
import { phoneOf } from './support/people.ts';
import { type Figure, report } from './support/report.ts';
import { residentMb, sample } from './support/sampler.ts';
import { type BenchStage, onBenchStage } from './support/stage.ts';
import { aWorkspace, someContacts } from './support/workspaces.ts';

export interface LargeCampaignSizes {
  readonly recipients: number;
  /** Messages a second. */
  readonly pace: number;
  /** How often the sending worker is killed during the campaign; another one runs beside it. */
  readonly kills: number;
}

interface Large extends BenchStage {
  readonly sizes: LargeCampaignSizes;
}

async function aLargeCampaign({ database, processes, wake, sizes }: Large, recipients: number) {
  const ctx = await aWorkspace(database, wake);
  await someContacts(database, ctx.organizationId, recipients);
  const wishes = { name: 'Bench', phone: phoneOf(900_000), provider: 'sandbox' } as const;
  const keyring = createKeyring(processes.encryptionKeys);
  const number = await addNumber(ctx, { ...wishes, accessToken: 'bench' }, keyring);
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows('update numbers set ceiling_per_minute = $1', [
      Math.round((sizes.pace * 60) / SHARE_OF_CEILING),
    ]),
  );
  return aCampaign({ ctx, number });
}

/** Of a send that began before. */
const ON_THE_WAY_MS = 10;

const isDone = async (database: Database, { organizationId }: Context): Promise<boolean> => {
  const row = await inWorkspace(database, organizationId, (sql) =>
    first<{ status: string }>(sql, 'select status from campaigns', [], 'bench-done'),
  );
  return row?.status === 'done';
};

/** The process whose worker has the campaign's batch in hand. */
async function sender({ client }: BenchStage, workers: readonly Service[]): Promise<Service> {
  for (;;) {
    for await (const { workflowId } of client.workflow.list({
      query: "WorkflowType = 'sendCampaign' and ExecutionStatus = 'Running'",
    })) {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const batch = raw.pendingActivities?.find(
        ({ activityType }) => activityType?.name === 'sendCampaignBatch',
      );
      const found = workers.find(({ pid }) => batch?.lastWorkerIdentity?.startsWith(`${pid}@`));
      if (found) return found;
    }
    await sleep(20);
  }
}

/**
 * Kills spread evenly over the time that the campaign takes, the first after a quarter of its share. Killed is
 * who sends; another worker is there already, as in production, and a third takes the place of the dead.
 */
async function killSenders(scene: Large, workers: Service[]): Promise<void> {
  const { processes, sizes } = scene;
  const apartMs = ((sizes.recipients / sizes.pace) * 1_000) / (sizes.kills + 1);
  for (let n = 0; n < sizes.kills; n++) {
    await sleep(apartMs);
    const killed = await sender(scene, workers);
    await killed.kill('SIGKILL');
    workers.splice(workers.indexOf(killed), 1, await processes.start('worker'));
  }
}

async function longestRun(client: Client): Promise<{ runs: number; events: number }> {
  const lengths: number[] = [];
  for await (const run of client.workflow.list({ query: "WorkflowType = 'sendCampaign'" }))
    lengths.push(run.historyLength);
  return { runs: lengths.length, events: Math.max(...lengths) };
}

/** What a pause costs its caller, and how many messages arrive at WhatsApp that begin after its answer. */
async function pausing(scene: Large): Promise<Figure[]> {
  const { processes, sizes } = scene;
  const { ctx, campaignId, phoneNumberId } = await aLargeCampaign(scene, sizes.pace * 20);
  const acceptedOf = async () =>
    (await processes.simulator.accepted()).filter(
      (entry) => entry.phone_number_id === phoneNumberId,
    );
  const answers: number[] = [];
  let late = 0;
  await sendCampaign(ctx, campaignId);
  for (let n = 0; n < 5; n++) {
    await sleep(1_000);
    const asked = performance.now();
    await pauseCampaign(ctx, campaignId);
    const [answeredAt, answered] = [Date.now(), performance.now()];
    answers.push(answered - asked);
    await sleep(1_000);
    late += (await acceptedOf()).filter(({ t }) => t > answeredAt + ON_THE_WAY_MS).length;
    await resumeCampaign(ctx, campaignId);
  }
  await cancelCampaign(ctx, campaignId);
  return [
    { what: 'a pause is answered after, ms', digits: 0, values: answers, atMost: 1_000 },
    { what: 'sends begun after the answer of five', values: [late], atMost: 0 },
  ];
}

async function measure(scene: Large, workers: Service[]): Promise<boolean> {
  const { database, processes, client, sizes } = scene;
  const [worker] = workers;
  await processes.simulator.faults({ latency_ms: 50 });
  const { ctx, campaignId, phoneNumberId } = await aLargeCampaign(scene, sizes.recipients);
  const memory = sample(1_000, () => (sizes.kills === 0 && worker ? residentMb(worker.pid) : 0));
  await sendCampaign(ctx, campaignId);
  const killing = killSenders(scene, workers);
  const timeoutMs = (sizes.recipients / sizes.pace) * 1_000 * 3 + 120_000;
  await until('the campaign is done', () => isDone(database, ctx), { timeoutMs, everyMs: 1_000 });
  await Promise.all([killing, memory.stop()]);
  const accepted = (await processes.simulator.accepted()).filter(
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
    { what: 'emptiest 10 s, % of the pace', digits: 1, values: [windows.least], atLeast: 95 },
    ...(sizes.kills === 0
      ? [0.1, 0.5, 0.9, 1].map((share) => ({
          what: `worker's memory at ${share * 100} %, MB`,
          values: [at(share)],
        }))
      : []),
    ...(await pausing(scene)),
  ];
  const killed = sizes.kills > 0 ? `, ${sizes.kills} times who sends killed` : '';
  const title = `(c) a campaign of ${sizes.recipients} at ${sizes.pace} a second${killed}`;
  return report(title, figures, []);
}

/** Throws when somebody is written to twice. */
export const benchLargeCampaign = (sizes: LargeCampaignSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const { processes } = scene;
    await processes.start('api');
    const workers = [await processes.start('worker')];
    if (sizes.kills > 0) workers.push(await processes.start('worker'));
    return measure({ ...scene, sizes }, workers);
  });
