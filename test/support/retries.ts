import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Deps } from '../../activities/deps.ts';
import { failureInterceptor } from '../../activities/failure.ts';
import { webhookActivities } from '../../activities/webhooks.ts';
import { system } from '../../src/access/actor.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, sqlOver } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { createSafeSender } from '../../src/net/sender.ts';
import { fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import type { DeliveryIds } from '../../src/webhooks/lanes/retries/parts.ts';
import type { Backoff } from '../../src/webhooks/rules.ts';
import type { deliverWebhook } from '../../workflows/webhooks.ts';
import { workflowBundle } from './env.ts';
import { testKeyring } from './factories/numbers.ts';
import { sentEvents } from './factories/webhooks.ts';

/** The activity's own time: what the time-skipping server says it is. */
const skippedClock = {
  now: () => new Date(activityInfo().currentAttemptScheduledTimestampMs),
  skewMs: 0,
  skips: true as const,
};

export interface RetryWorker {
  readonly taskQueue: string;
  start(ids: DeliveryIds): Promise<WorkflowHandle<typeof deliverWebhook>>;
  stop(): Promise<void>;
}

export interface RetryWishes {
  readonly environment: TestWorkflowEnvironment;
  readonly database: Database;
  readonly trustedOrigins: readonly string[];
  readonly backoff?: Backoff;
  /** Stands around every activity: while it has not resolved, no time is skipped. */
  readonly around?: (next: () => Promise<unknown>) => Promise<unknown>;
}

/** A worker that makes real attempts, in skipped time. */
export async function runRetryWorker(wishes: RetryWishes): Promise<RetryWorker> {
  const { environment, database, trustedOrigins, around = (next) => next() } = wishes;
  const taskQueue = `retries-${randomUUID()}`;
  const sender = createSafeSender({ trustedOrigins });
  const parts = { database, wake: () => {} };
  const deps: Deps = {
    database,
    contextFor: (organizationId, actor) =>
      createContext(parts, {
        organizationId,
        actor: actor ?? system('tests'),
        now: skippedClock.now(),
      }),
    clock: skippedClock,
    gateway: { send: () => Promise.reject(new Error('nothing is sent here')) },
    sender,
    keyring: testKeyring,
    wake: () => {},
    backoff: wishes.backoff ?? { scale: 1, jitter: () => 0 },
    log: createLog({ level: 'silent', format: 'json' }),
  };
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: webhookActivities(deps),
    interceptors: {
      activity: [
        () => ({ inbound: { execute: (input, next) => around(() => next(input)) } }),
        () => ({ inbound: failureInterceptor }),
      ],
    },
  });
  const running = worker.run();
  return {
    taskQueue,
    start: (ids) =>
      environment.client.workflow.start<typeof deliverWebhook>('deliverWebhook', {
        workflowId: `delivery:${ids.endpointId}:${ids.eventId}`,
        taskQueue,
        args: [ids],
      }),
    stop: async () => {
      worker.shutdown();
      await running;
      await sender.close();
    },
  };
}

/** A delivery that no attempt was made of, as a workflow gets it. */
export async function aDelivery(
  database: Database,
  organizationId: string,
  endpointId: string,
): Promise<DeliveryIds> {
  const [eventId = ''] = await sentEvents(database, organizationId);
  const sql = sqlOver(database.system);
  await fanOut(sql, { token: 'tests', full: [endpointId] }, 10);
  const [row] = await sql.rows<{ id: string }>(
    `update webhook_deliveries set owned_by_workflow = true, next_attempt_at = null
     where event_id = $1 and endpoint_id = $2 returning id`,
    [eventId, endpointId],
  );
  return { organizationId, endpointId, eventId, deliveryId: row?.id ?? '' };
}
