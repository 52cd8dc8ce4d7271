import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { CampaignProgress } from '../../src/campaigns/rules.ts';
import { newId } from '../../src/ids.ts';
import { type Start, startCampaign, startDelivery, startRun } from '../../src/relay/reactions.ts';
import { createTemporalCalls, type TemporalCalls } from '../../src/relay/temporal-calls.ts';
import { devServer, PATIENT, workflowBundle } from '../support/env.ts';
import { eventually } from '../support/waiting.ts';

const SLOTS = 2;
const MANY = 16;
/** Whoever comes while many wait is not behind them, though one or two may have been taken already. */
const SOON = 6;

/** A kind of work for a workspace. */
interface Place {
  readonly kind: Kind;
  readonly workspace: string;
  /** That it has if 0.1.0 began it, which gave each kind one. */
  readonly priorityKey?: number;
}

const placeOf = ({ kind, workspace }: Place): string => `${kind} for ${workspace}`;

/** Work that takes as long as a test wants. */
const stage = {} as {
  calls: TemporalCalls;
  /** Begins it as 0.1.0 did. */
  beginAsBefore: (one: Start, priorityKey: number) => Promise<unknown>;
  /** Whether the workflow's work waits for a slot, or has one. */
  isQueued: (workflowId: string) => Promise<boolean>;
  /** What work has begun, and whose, in order. */
  begun: string[];
  /** Ends what runs longest. */
  endOne: () => Promise<void>;
  stop: () => Promise<void>;
};

beforeEach(async () => {
  const { address } = devServer();
  const taskQueue = `turns-${randomUUID()}`;
  const open: (() => void)[] = [];
  stage.begun = [];
  const work =
    <T>(kind: Kind, result: T) =>
    async ({ organizationId: workspace }: { organizationId: string }): Promise<T> => {
      stage.begun.push(placeOf({ kind, workspace }));
      await new Promise<void>((resolve) => open.push(resolve));
      return result;
    };
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    maxConcurrentActivityTaskExecutions: SLOTS,
    activities: {
      advanceAutomationRun: work('run', { stage: 'done', waitMs: 0, waitsFor: null }),
      advanceCampaign: work('campaign', SENT),
      retryWebhook: work('retry', { next: 'end', status: 'succeeded' }),
    },
  });
  const running = worker.run();
  const client = new Client({ connection: await Connection.connect({ address }) });
  stage.calls = createTemporalCalls(client, taskQueue, PATIENT);
  stage.beginAsBefore = ({ workflow, workflowId, input, organizationId }, priorityKey) =>
    client.workflow.start(workflow, {
      workflowId,
      taskQueue,
      args: [input],
      priority: { priorityKey, fairnessKey: organizationId },
    });
  stage.isQueued = async (workflowId) => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).length > 0;
  };
  stage.endOne = async () => {
    const before = stage.begun.length;
    open.shift()?.();
    await eventually(() => stage.begun.length > before);
  };
  stage.stop = async () => {
    const ending = setInterval(() => open.shift()?.(), 5);
    worker.shutdown();
    await running;
    clearInterval(ending);
    await client.connection.close();
    await connection.close();
  };
});
afterEach(() => stage.stop());

const SENT: CampaignProgress = {
  stage: 'done',
  waitMs: 0,
  sent: 1,
  delivered: 1,
  lost: 0,
  left: 0,
  minutesToGo: null,
  frozen: true,
};

const STARTS = {
  run: (id: string) => startRun(id, newId('run')),
  campaign: (id: string) => startCampaign(id, newId('cmp')),
  retry: (id: string) =>
    startDelivery(id, {
      deliveryId: newId('dlv'),
      endpointId: newId('whk'),
      eventId: newId('evt'),
    }),
};
type Kind = keyof typeof STARTS;

async function start({ kind, workspace, priorityKey }: Place): Promise<void> {
  const one = STARTS[kind](workspace);
  await (priorityKey === undefined
    ? stage.calls.perform({ kind: 'start', ...one })
    : stage.beginAsBefore(one, priorityKey));
  await eventually(() => stage.isQueued(one.workflowId));
}

/** Starts one while many of a kind wait, and ends some of these. */
async function startBeside(one: Place, many: Place): Promise<void> {
  for (let n = 0; n < MANY; n += 1) await start(many);
  await start(one);
  for (let n = 0; n < SOON && !stage.begun.includes(placeOf(one)); n += 1) await stage.endOne();
}

const kinds = Object.keys(STARTS) as Kind[];
const pairs = kinds.flatMap((many) => kinds.map((one) => [one, many] as const));

it.each(pairs)('a %s has its turn while many of another workspace wait: %s', async (one, many) => {
  const mine = { kind: one, workspace: newId('org') };

  await startBeside(mine, { kind: many, workspace: newId('org') });

  expect(stage.begun).toContain(placeOf(mine));
});

const mixed = pairs.filter(([one, many]) => one !== many);
it.each(mixed)(
  'a %s has its turn while many others of its workspace wait: %s',
  async (kind, many) => {
    const workspace = newId('org');

    await startBeside({ kind, workspace }, { kind: many, workspace });

    expect(stage.begun).toContain(placeOf({ kind, workspace }));
  },
);

it('a campaign has its turn while many runs wait that 0.1.0 began before all else', async () => {
  const mine = { kind: 'campaign', workspace: newId('org') } as const;

  await startBeside(mine, { kind: 'run', workspace: newId('org'), priorityKey: 2 });

  expect(stage.begun).toContain(placeOf(mine));
});

it('a retry that 0.1.0 began behind campaigns has its turn while many of these wait', async () => {
  const mine = { kind: 'retry', workspace: newId('org'), priorityKey: 4 } as const;

  await startBeside(mine, { kind: 'campaign', workspace: newId('org') });

  expect(stage.begun).toContain(placeOf(mine));
});
