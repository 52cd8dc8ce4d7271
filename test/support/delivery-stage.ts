import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, sqlOver } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { createSafeSender } from '../../src/net/sender.ts';
import { relayCommands } from '../../src/relay/commands.ts';
import { createTemporalCalls } from '../../src/relay/temporal-calls.ts';
import { startDrains } from '../../src/webhooks/lanes/backlog/drains.ts';
import { Attempts } from '../../src/webhooks/lanes/first-attempts/attempts.ts';
import { claimDue, fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { changedEndpoints } from '../../src/webhooks/lanes/first-attempts/leases.ts';
import { Probes } from '../../src/webhooks/lanes/first-attempts/probes.ts';
import { Recorder } from '../../src/webhooks/lanes/first-attempts/recorder.ts';
import type { Backoff } from '../../src/webhooks/rules.ts';
import { createSigningKeys } from '../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../src/webhooks/signing/sender.ts';
import { openOwnDatabase } from './database.ts';
import { PATIENT, timeSkipping } from './env.ts';
import { testKeyring } from './factories/numbers.ts';
import { type Answer, type Received, type Receiver, startReceiver } from './receiver.ts';
import { runRetryWorker } from './retries.ts';

export interface DeliveryStage {
  readonly database: Database;
  readonly receiver: Receiver;
  /** How requests are answered, by the first part of their path; the others get 500. */
  readonly answers: Map<string, (request: Received) => Answer | Promise<Answer>>;
  readonly environment: TestWorkflowEnvironment;
  rows<T extends object>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** The same context as of now in skipped time; changes tell the lane as they tell the relays. */
  at(ctx: Context): Promise<Context>;
  now(): Promise<Date>;
  /** The relay's part: facts to deliveries, what is due to attempts, commands to workflows, until all is done. */
  settle(): Promise<void>;
  /** Skips so much time; whatever is due in it happens at its moment. */
  advance(ms: number): Promise<void>;
  /** The most activities of one workflow that ever ran at once. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

const AT_ONCE = 500;

/**
 * Two lanes and the backlog in skipped time. The time-skipping server runs `deliverWebhook` and
 * `drainEndpoint`; the lane of attempts is the real one by the server's clock. It works within the
 * activities, for while one runs no time is skipped.
 */
export async function openDeliveryStage(
  backoff: Backoff = { scale: 1, jitter: () => 0 },
): Promise<DeliveryStage> {
  const database = await openOwnDatabase();
  const receiver = await startReceiver();
  const answers: DeliveryStage['answers'] = new Map();
  receiver.answer = (request) =>
    answers.get(request.path.split('/')[1] ?? '')?.(request) ?? { status: 500 };
  const environment = await timeSkipping();
  const trustedOrigins = [receiver.origin];
  const running = new Map<string, number>();
  let mostAtOnce = 0;

  async function around(next: () => Promise<unknown>): Promise<unknown> {
    const id = activityInfo().workflowExecution?.workflowId ?? '';
    running.set(id, (running.get(id) ?? 0) + 1);
    mostAtOnce = Math.max(mostAtOnce, running.get(id) ?? 0);
    try {
      const result = await next();
      await lane.settle();
      return result;
    } finally {
      running.set(id, (running.get(id) ?? 0) - 1);
    }
  }
  const worker = await runRetryWorker({ environment, database, trustedOrigins, backoff, around });
  const sender = createSafeSender({ trustedOrigins });
  const lane = createLane({ database, environment, sender, backoff, taskQueue: worker.taskQueue });
  const now = async (): Promise<Date> => new Date(await environment.currentTimeMs());

  return {
    database,
    receiver,
    answers,
    environment,
    rows: (text, params = []) => sqlOver(database.system).rows(text, params),
    at: async (ctx) =>
      createContext(
        { database, wake: lane.wake },
        { organizationId: ctx.organizationId, actor: ctx.actor, now: await now() },
      ),
    now,
    settle: lane.settle,
    advance: async (ms) => {
      await lane.settle();
      await environment.sleep(ms);
      await lane.settle();
    },
    mostAtOnce: () => mostAtOnce,
    close: async () => {
      await worker.stop();
      await lane.stop();
      await environment.teardown();
      await sender.close();
      await receiver.close();
      await database.close();
    },
  };
}

interface LaneParts {
  readonly database: Database;
  readonly environment: TestWorkflowEnvironment;
  readonly sender: ReturnType<typeof createSafeSender>;
  readonly backoff: Backoff;
  readonly taskQueue: string;
}

const WORK = `
  select from facts where dead_at is null
  union all
  select from webhook_deliveries
  where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog and lease_until <= now()
  limit 1`;

function createLane({ database, environment, sender, backoff, taskQueue }: LaneParts) {
  const token = randomUUID();
  const log = createLog({ level: 'silent', format: 'json' });
  const sql = sqlOver(database.system);
  const calls = createTemporalCalls(environment.client, taskQueue, PATIENT);
  let known = { serverMs: Date.now(), atMs: performance.now() };
  // Between two readings the server's time runs like any other.
  const clock = {
    now: () => new Date(known.serverMs + Math.floor(performance.now() - known.atMs)),
    skewMs: 0,
    skips: true as const,
  };
  const nothing = (): void => {};
  const heard = { onCommands: nothing, onFirst: nothing };
  const recorder = new Recorder({ database, token, clock, backoff, log, ...heard });
  const attempts = new Attempts({
    sender: createWebhookSender(sender, createSigningKeys(testKeyring)),
    recorder,
    clock,
    onRoom: nothing,
  });
  const probes = new Probes(() => clock.now().getTime());
  const wake = async (): Promise<void> =>
    attempts.drop(await changedEndpoints(sql, attempts.revisions));

  async function round(): Promise<number> {
    known = { serverMs: await environment.currentTimeMs(), atMs: performance.now() };
    const taker = { token, full: attempts.full, resting: probes.resting };
    const made = await fanOut(sql, taker, AT_ONCE);
    const admitted = probes.admit(made.claimed);
    recorder.park(admitted.rest);
    attempts.take(admitted.probes);
    await startDrains(
      sql,
      made.parked.map((endpointId) => ({ endpointId, due: null })),
    );
    const due = await claimDue(sql, { token, full: attempts.full }, AT_ONCE);
    attempts.take(due);
    while (attempts.inFlight + attempts.waiting > 0) await sleep(2);
    await recorder.stop();
    const { taken } = await relayCommands({ database, token, calls, log });
    return made.facts + due.length + taken;
  }

  const isWork = async (): Promise<boolean> =>
    (await sql.rows(WORK, [], 'is-there-work')).length > 0;

  let settling: Promise<void> = Promise.resolve();
  return {
    wake,
    settle: (): Promise<void> => {
      settling = settling.then(async () => {
        while ((await isWork()) && (await round()) > 0);
      });
      return settling;
    },
    stop: async (): Promise<void> => {
      await attempts.stop();
      await recorder.stop();
    },
  };
}
