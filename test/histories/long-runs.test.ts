import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import type { CampaignProgress } from '../../src/campaigns/rules.ts';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';
import {
  type Start,
  startCampaign,
  startDeactivation,
  startDelivery,
  startDrain,
  startImport,
  startReminder,
  startRun,
} from '../../src/relay/reactions.ts';
import { createTemporalCalls } from '../../src/relay/temporal-calls.ts';
import { UPKEEP } from '../../src/temporal/schedules.ts';
import { wordsOf } from '../../src/temporal/words.ts';
import { workflowBundle } from '../support/env.ts';
import { keepHistory, loopingWorkflows } from '../support/histories.ts';
import { noteStarted } from '../support/run-folder.ts';

/** 4,096 by default: reached by the second or third turn of a loop. */
const EVENTS_OF_A_RUN = 17;
const TASK_QUEUE = 'long-runs';
const BASE_URL = 'https://wms.example.com';

/** What the activities of a loop answer, turn by turn: the first run takes all but the last two. */
type Answers = { readonly [A in keyof Activities]?: readonly Awaited<ReturnType<Activities[A]>>[] };

interface Long {
  readonly answers: Answers;
  /** As the relay starts it; a Schedule starts an upkeep. */
  readonly start?: Start;
  /** Where each turn is to begin, by how far it came. */
  readonly from?: readonly object[];
}

const fiveTurns = <T>(answer: (turn: number, isLast: boolean) => T): T[] =>
  [1, 2, 3, 4, 5].map((turn) => answer(turn, turn === 5));

/** An upkeep that goes through the workspaces. */
function sweep(activity: keyof Activities): Long {
  const position = (turn: number) => ({ after: turn ? `org_${turn}` : '', done: turn });
  const answers = fiveTurns((turn, finished) => ({ position: position(turn), finished }));
  return {
    answers: { [activity]: answers },
    from: fiveTurns((turn) => position(turn - 1)),
  };
}

const organizationId = 'org_1';
const waits = { stage: 'waiting', waitMs: 1, waitsFor: 'time' } as const;
const fails = {
  ...({ next: 'wait', attempts: 2, waitMs: 1, lastAnswer: '500' } as const),
  dueAt: '2026-01-01T00:00:00.000Z',
};
const looks = {
  ...({ next: 'look', moved: 1, stage: 'draining', waitMs: 1 } as const),
  says: 'More is due soon.', why: 'the next is due', freshAt: '2026-01-01T00:00:00.000Z',
};

const BACKLOG = { organizationId, endpointId: 'whe_1' };

const sleeps = { stage: 'sleeping', waitMs: 1, left: 0 } as const;
const sends = (left: number): CampaignProgress => ({
  stage: left > 0 ? 'sending' : 'done', waitMs: left > 0 ? 1 : 0, frozen: true,
  sent: 2 - left, delivered: 0, lost: 0, left, minutesToGo: left,
});

const LONG: Readonly<Record<string, Long>> = {
  startDueAutomations: sweep('startDueAutomations'),
  closeIdleConversations: sweep('closeIdleConversations'),
  tendAssignments: sweep('tendAssignments'),
  dropMessageHistory: sweep('dropMessageHistory'),
  warnExpiringKeys: sweep('warnExpiringKeys'),
  checkNumbers: sweep('checkNumbers'),
  rollUpReports: sweep('rollUpReports'),
  rotateKeys: sweep('sealAgain'),
  dropWebhookHistory: {
    answers: {
      dropWebhookHistory: fiveTurns((_, finished) => ({ ranges: 1, ended: 0, finished })),
    },
  },
  tendAuthorization: {
    answers: {
      tendAuthorization: fiveTurns((_, isLast) => ({
        artifacts: 1, deniedTokens: 0, grants: 0, clients: 0, keysActivated: 0, signIns: 0,
        more: !isLast,
      })),
    },
  },
  sendCampaign: {
    start: startCampaign(organizationId, 'cmp_1', 'usr_1'),
    answers: {
      advanceCampaign: [sends(2), sends(1)],
      sendCampaignBatch: [sends(1), sends(0)],
    },
  },
  runReminder: {
    start: startReminder(organizationId, 'rem_1'),
    answers: { advanceReminder: [sleeps, sleeps, sleeps, { ...sleeps, stage: 'done' }] },
  },
  importContacts: {
    start: startImport(organizationId, 'imp_1'),
    answers: {
      importContactRows: fiveTurns((done, isLast) => ({
        status: isLast ? 'done' : 'running', total: 5, done, failed: 0,
      })),
    },
  },
  deactivateAutomation: {
    start: startDeactivation(organizationId, 'aut_1'),
    answers: { stopAutomationRuns: ['more', 'more', 'more', 'later', 'done'] },
  },
  runAutomation: {
    start: startRun(organizationId, 'run_1', undefined, 'aut_1'),
    answers: {
      advanceAutomationRun: [
        waits,
        waits,
        waits,
        { stage: 'succeeded', waitMs: 0, waitsFor: null },
      ],
    },
  },
  deliverWebhook: {
    start: startDelivery(organizationId, {
      deliveryId: 'whd_1', endpointId: 'whe_1', eventId: 'evt_1', attempts: 1,
    }),
    answers: {
      retryWebhook: [fails, fails, fails, { next: 'end', status: 'succeeded', attempts: 4 }],
    },
  },
  drainEndpoint: {
    start: startDrain(organizationId, 'whe_1'),
    // When the last probes went out, so that more looks mean no more probes; a new run knows of none.
    from: [BACKLOG, [BACKLOG, looks.freshAt], BACKLOG, [BACKLOG, looks.freshAt]],
    answers: { drainBacklog: [looks, looks, looks, { next: 'end', moved: 0, says: 'Done.' }] },
  },
};

/** Answers as is said, and keeps what each turn was asked. */
function played(longs: readonly Long[]) {
  const asked = new Map<string, unknown[]>();
  const scripts = longs.flatMap(({ answers }) => Object.entries(answers));
  const activities = scripts.map(([name, answers]) => {
    const turns: unknown[] = [];
    asked.set(name, turns);
    return [
      name,
      async (wish: unknown, more?: unknown) =>
        answers[turns.push(typeof more === 'string' ? [wish, more] : wish) - 1],
    ] as const;
  });
  return { asked, activities: Object.fromEntries(activities) };
}

let temporal: EmbeddedTemporal;
let client: Client;
let end: () => Promise<void>;
const { asked, activities } = played(Object.values(LONG));

beforeAll(async () => {
  const dataDir = mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'long-runs-'));
  temporal = await startTemporal({
    dataDir, log: () => {}, firstPort: 0, firstUiPort: 0,
    dynamicConfig: [`limit.historyCount.suggestContinueAsNew=${EVENTS_OF_A_RUN}`],
  });
  noteStarted({ pid: temporal.pid, mark: dataDir, signal: 'SIGKILL' });
  const { address } = temporal;
  const connection = await Connection.connect({ address });
  client = new Client({ connection });
  const native = await NativeConnection.connect({ address });
  const wish = {
    connection: native, taskQueue: TASK_QUEUE, workflowBundle, activities,
    // A task that a slow machine begins with all others, or late, times out: that costs events, and a run its last turn.
    maxConcurrentWorkflowTaskExecutions: 4, stickyQueueScheduleToStartTimeout: '60 s',
  };
  const worker = await Worker.create(wish);
  const running = worker.run();
  end = async () => {
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
  };
  // All at once: the server lets a second pass before each new run.
  const calls = createTemporalCalls(client, TASK_QUEUE, { baseUrl: BASE_URL, deadlineMs: 30_000 });
  for (const { workflow, summary } of UPKEEP)
    if (workflow in LONG)
      await client.workflow.start(workflow, {
        taskQueue: TASK_QUEUE, workflowId: `long:${workflow}`, args: [],
        ...wordsOf(summary),
      });
  for (const { start } of Object.values(LONG))
    if (start) await calls.perform({ kind: 'start', ...start });
});
afterAll(async () => {
  await end();
  await temporal.stop();
});

/** The run that became too long, and the one after it, which ended. */
async function bothRuns(name: string, { start }: Long) {
  const workflowId = start?.workflowId ?? `long:${name}`;
  await client.workflow.getHandle(workflowId).result();
  const ended = await client.workflow.getHandle(workflowId).fetchHistory();
  const { events } = ended;
  const { continuedExecutionRunId, firstExecutionRunId } =
    events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  expect(continuedExecutionRunId).toBe(firstExecutionRunId);
  const first = client.workflow.getHandle(workflowId, firstExecutionRunId ?? '');
  return { first, second: client.workflow.getHandle(workflowId) };
}

/** What the UI shows as its current details. */
async function detailsShown(run: WorkflowHandle): Promise<string> {
  const said = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return said.currentDetails ?? '';
}

/** The summaries of its activities, in their order. */
async function activitiesOf(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: activity, userMetadata }) =>
      activity && userMetadata?.summary
        ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)]
        : [],
  );
}

describe('a run that becomes too long', () => {
  it.each(Object.entries(LONG))('goes on in a new one where it stood: %s', async (name, long) => {
    const { first, second } = await bothRuns(name, long);

    const [[activity = '', answers = []] = []] = Object.entries(long.answers);
    const from = long.from ?? answers.map(() => long.start?.input);
    expect(await second.describe()).toMatchObject({ status: { name: 'COMPLETED' } });
    expect(asked.get(activity)).toEqual(from);
    const kept = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    await keepHistory(first, `${kept}-continued`);
    await keepHistory(second, `${kept}-another-turn`);
  });

  it.each(Object.entries(LONG))('still says what it is there for: %s', async (name, long) => {
    const { first, second } = await bothRuns(name, long);

    const described = await first.describe();
    const summary = described.staticSummary();
const details = described.staticDetails();
    expect(await summary).toBeTruthy();
    const said = await detailsShown(second);
    expect(said).toContain(await summary);
    expect(said).toContain((await details) ?? '');
    expect(await detailsShown(first)).not.toContain(await summary);
    if (long.start) expect(said).toContain(`(${BASE_URL}/console/${organizationId}/`);
  });

  it('counts on its batches: sendCampaign', async () => {
    const runs = await bothRuns('sendCampaign', LONG['sendCampaign'] as Long);

    const batches = [runs.first, runs.second].map(async (run) =>
      (await activitiesOf(run)).filter((summary) => summary.startsWith('batch')),
    );
    expect(await Promise.all(batches)).toEqual([['batch 1'], ['batch 2']]);
  });

  it('is tried for each workflow that has a loop', () => {
    expect(Object.keys(LONG).sort()).toEqual(loopingWorkflows().sort());
  });
});
