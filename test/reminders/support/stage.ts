import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { failureInterceptor } from '../../../activities/failure.ts';
import { reminderActivities } from '../../../activities/reminders.ts';
import type { Context } from '../../../src/context.ts';
import { createOutgoingLane } from '../../../src/conversations/lane/lane.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { type Database, inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { createCloudApiGateway } from '../../../src/gateway/cloud-api/gateway.ts';
import { createLog } from '../../../src/log.ts';
import { relayCommands } from '../../../src/relay/commands.ts';
import { createTemporalCalls, type TemporalCalls } from '../../../src/relay/temporal-calls.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import type { runReminder } from '../../../workflows/reminders.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { PATIENT, timeSkipping, workflowBundle } from '../../support/env.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';

export interface ReminderStage {
  readonly database: Database;
  readonly simulator: Simulator;
  /** A workspace of its own, as of now in skipped time. */
  aWorkspace(): Promise<Context>;
  /** The same context as of now in skipped time. */
  at(ctx: Context): Promise<Context>;
  now(): Promise<Date>;
  /** Starts and wakes workflows for what was changed. */
  settle(): Promise<void>;
  /** Skips so much time; whatever is due in it happens at its moment. */
  advance(ms: number): Promise<void>;
  handleOf(reminderId: string): WorkflowHandle<typeof runReminder>;
  rows<R>(ctx: Context, text: string, params?: readonly unknown[]): Promise<R[]>;
  /** Messages stay in the queue while it is false. */
  sending: boolean;
  close(): Promise<void>;
}

/** What cannot leave by then stays for the next activity: no time is skipped meanwhile. */
const MOST_SENDING_MS = 20_000;

/**
 * Reminders in skipped time: the time-skipping server runs `runReminder`, and the real lane of messages works
 * within its activities, for while one runs no time is skipped.
 */
export async function openReminderStage(): Promise<ReminderStage> {
  const database = await openOwnDatabase({ poolSize: 6 });
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  const environment = await timeSkipping();
  const gateway = createCloudApiGateway({ baseUrl: simulator.url, version: 'v23.0' });
  const taskQueue = `reminders-${randomUUID()}`;
  const log = createLog({ level: 'silent', format: 'json' });
  const sql = sqlOver(database.system);
  const temporal = createTemporalCalls(environment.client, taskQueue, PATIENT);
  // No lane moves what is due here: the workflow looks at once, and then at each moment.
  const calls: TemporalCalls = {
    perform: (reaction) => {
      if (!('asleepUntil' in reaction)) return temporal.perform(reaction);
      const { asleepUntil, ...awake } = reaction;
      return temporal.perform(awake);
    },
  };
  const wake = (): void => {};
  const now = async (): Promise<Date> => new Date(await environment.currentTimeMs());
  let laneTime = await now();
  const ignored = (): Promise<void> => Promise.resolve();
  const lane = createOutgoingLane({
    database,
    gateway,
    keyring: testKeyring,
    clock: { now: () => laneTime, skewMs: 0 },
    token: randomUUID(),
    log,
    wake,
    onRoom: wake,
    onHalt: ignored,
    onOptedOut: ignored,
    onGroupUnknown: ignored,
  });

  async function send(): Promise<void> {
    const WAITING =
      "select from outgoing_messages where not_before <= now() + interval '2 seconds' limit 1";
    const end = performance.now() + MOST_SENDING_MS;
    while (stage.sending && performance.now() < end && (await sql.rows(WAITING)).length > 0) {
      await lane.work();
      await sleep(3);
    }
  }

  const stopWorker = await startWorker(environment, taskQueue, {
    activities: reminderActivities({
      reminderBehindMs: () => 0,
      contextFor: (organizationId, actor) => {
        laneTime = activityTime();
        return createContext({ database, wake }, { organizationId, actor, now: laneTime });
      },
    }),
    after: send,
  });

  const settle = async (): Promise<void> => {
    while ((await relayCommands({ database, token: randomUUID(), calls, log })).taken > 0);
  };
  const stage: ReminderStage = {
    database,
    simulator,
    aWorkspace: async () => (await aWorkspace(database, { now: await now(), plan: 'escala' })).ctx,
    at: async ({ organizationId, actor }) =>
      createContext({ database, wake }, { organizationId, actor, now: await now() }),
    now,
    settle,
    advance: async (ms) => {
      await settle();
      await environment.sleep(ms);
    },
    handleOf: (id) => environment.client.workflow.getHandle<typeof runReminder>(`reminder:${id}`),
    rows: (ctx, text, params = []) =>
      inWorkspace(database, ctx.organizationId, (inside) => inside.rows(text, params)),
    sending: true,
    close: async () => {
      await stopWorker();
      await lane.stop();
      await gateway.close();
      await environment.teardown();
      await simulator.stop();
      await database.close();
    },
  };
  return stage;
}

/** The activity's own time: what the time-skipping server says it is. */
const activityTime = (): Date => new Date(activityInfo().currentAttemptScheduledTimestampMs);

async function startWorker(
  environment: TestWorkflowEnvironment,
  taskQueue: string,
  parts: { readonly activities: object; readonly after: () => Promise<void> },
): Promise<() => Promise<void>> {
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: parts.activities,
    stickyQueueScheduleToStartTimeout: '1s',
    interceptors: {
      activity: [
        () => ({
          inbound: {
            execute: async (input, next) => {
              const result = await next(input);
              await parts.after();
              return result;
            },
          },
        }),
        () => ({ inbound: failureInterceptor }),
      ],
    },
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
  };
}
