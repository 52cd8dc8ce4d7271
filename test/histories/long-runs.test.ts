import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';
import { workflowBundle } from '../support/env.ts';
import { keepHistory, loopingWorkflows } from '../support/histories.ts';
import { noteStarted } from '../support/run-folder.ts';

/** 4,096 by default: reached by the second or third turn of a loop. */
const EVENTS_OF_A_RUN = 17;
const TASK_QUEUE = 'long-runs';

/** What the activities of a loop answer, turn by turn: the first run takes all but the last two. */
type Answers = { readonly [A in keyof Activities]?: readonly Awaited<ReturnType<Activities[A]>>[] };

interface Long {
  readonly answers: Answers;
  /** By which an activity finds the rows; upkeeps have none. */
  readonly ref?: object;
  /** Of an upkeep that says how far it came: where each turn is to begin. */
  readonly from?: readonly object[];
}

const fiveTurns = <T>(answer: (turn: number, isLast: boolean) => T): T[] =>
  [1, 2, 3, 4, 5].map((turn) => answer(turn, turn === 5));

/** An upkeep that goes through the workspaces. */
function sweep(activity: keyof Activities, unit = 'done'): Long {
  const position = (turn: number) => ({ after: turn ? `org_${turn}` : '', [unit]: turn });
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
  ...{ says: 'More is due soon.', why: 'the next is due' },
};

const LONG: Readonly<Record<string, Long>> = {
  startDueAutomations: sweep('startDueAutomations'),
  closeIdleConversations: sweep('closeIdleConversations'),
  tendAssignments: sweep('tendAssignments'),
  dropMessageHistory: sweep('dropMessageHistory'),
  warnExpiringKeys: sweep('warnExpiringKeys'),
  checkNumbers: sweep('checkNumbers'),
  rollUpReports: sweep('rollUpReports', 'days'),
  rotateKeys: sweep('sealAgain', 'sealed'),
  dropWebhookHistory: {
    answers: {
      dropWebhookHistory: fiveTurns((_, finished) => ({ ranges: 1, ended: 0, finished })),
    },
  },
  tendAuthorization: {
    answers: {
      tendAuthorization: fiveTurns((_, isLast) => ({
        ...{ artifacts: 1, deniedTokens: 0, grants: 0, clients: 0, keysActivated: 0, signIns: 0 },
        more: !isLast,
      })),
    },
  },
  importContacts: {
    ref: { organizationId, importId: 'imp_1' },
    answers: {
      importContactRows: fiveTurns((done, isLast) => ({
        ...{ status: isLast ? 'done' : 'running', total: 5, done, failed: 0 },
      })),
    },
  },
  deactivateAutomation: {
    ref: { organizationId, automationId: 'aut_1' },
    answers: { stopAutomationRuns: ['more', 'more', 'more', 'later', 'done'] },
  },
  runAutomation: {
    ref: { organizationId, runId: 'run_1' },
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
    ref: { organizationId, deliveryId: 'whd_1', endpointId: 'whe_1', eventId: 'evt_1' },
    answers: {
      retryWebhook: [fails, fails, fails, { next: 'end', status: 'succeeded', attempts: 4 }],
    },
  },
  drainEndpoint: {
    ref: { organizationId, endpointId: 'whe_1' },
    answers: { drainBacklog: [looks, looks, looks, { next: 'end', moved: 0, says: 'Done.' }] },
  },
};

/** These have tests of their own: test/campaigns/batches/long-runs.test.ts and test/reminders. */
const ELSEWHERE = ['sendCampaign', 'runReminder'];

type Started = Awaited<ReturnType<Client['workflow']['start']>>;

/** Answers as is said, and keeps what each turn was asked. */
function played(longs: readonly Long[]) {
  const asked = new Map<string, unknown[]>();
  const scripts = longs.flatMap(({ answers }) => Object.entries(answers));
  const activities = scripts.map(([name, answers]) => {
    const turns: unknown[] = [];
    asked.set(name, turns);
    return [name, async (wish: unknown) => answers[turns.push(wish) - 1]] as const;
  });
  return { asked, activities: Object.fromEntries(activities) };
}

let temporal: EmbeddedTemporal;
let client: Client;
const started = new Map<string, Started>();
let end: () => Promise<void>;
const { asked, activities } = played(Object.values(LONG));

beforeAll(async () => {
  const dataDir = mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'long-runs-'));
  temporal = await startTemporal({
    ...{ dataDir, log: () => {}, firstPort: 0, firstUiPort: 0 },
    dynamicConfig: [`limit.historyCount.suggestContinueAsNew=${EVENTS_OF_A_RUN}`],
  });
  noteStarted({ pid: temporal.pid, mark: dataDir, signal: 'SIGKILL' });
  const { address } = temporal;
  const connection = await Connection.connect({ address });
  client = new Client({ connection });
  const native = await NativeConnection.connect({ address });
  const wish = { connection: native, taskQueue: TASK_QUEUE, workflowBundle, activities };
  const worker = await Worker.create(wish);
  const running = worker.run();
  end = async () => {
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
  };
  // All at once: the server lets a second pass before each new run.
  for (const [name, { ref }] of Object.entries(LONG)) {
    const args = ref ? [ref] : [];
    const options = { taskQueue: TASK_QUEUE, workflowId: `long:${name}`, args };
    started.set(name, await client.workflow.start(name, options));
  }
});
afterAll(async () => {
  await end();
  await temporal.stop();
});

describe('a run that becomes too long', () => {
  it.each(Object.entries(LONG))('goes on in a new one where it stood: %s', async (name, long) => {
    const handle = started.get(name) as Started;
    await handle.result();

    const { workflowId, firstExecutionRunId } = handle;
    const first = client.workflow.getHandle(workflowId, firstExecutionRunId);
    const { events } = await first.fetchHistory();
    const last = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    const second = client.workflow.getHandle(workflowId, last?.newExecutionRunId ?? '');
    const [[activity = '', answers = []] = []] = Object.entries(long.answers);
    const from = long.from ?? answers.map(() => long.ref);
    expect(await second.describe()).toMatchObject({ status: { name: 'COMPLETED' } });
    expect(asked.get(activity)).toEqual(from);
    const kept = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    await keepHistory(first, `${kept}-continued`);
    await keepHistory(second, `${kept}-another-turn`);
  });

  it('is tried for each workflow that has a loop', () => {
    expect([...Object.keys(LONG), ...ELSEWHERE].sort()).toEqual(loopingWorkflows().sort());
  });
});
