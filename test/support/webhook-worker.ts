import { NativeConnection, Worker } from '@temporalio/worker';
import { webhookActivities } from '../../activities/webhooks.ts';
import type { Wake } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { createSafeSender } from '../../src/net/sender.ts';
import type { Backoff } from '../../src/webhooks/rules.ts';
import { workflowBundle } from './env.ts';
import { testKeyring } from './factories/numbers.ts';

export interface WebhookWorkerWishes {
  readonly temporalAddress: string;
  readonly taskQueue: string;
  readonly database: Database;
  readonly trustedOrigins: readonly string[];
  readonly wake?: Wake;
  readonly backoff: Backoff;
}

/** Runs the workflows of webhooks of one task queue, in real time, until it is stopped. */
export async function runWebhookWorker(wishes: WebhookWorkerWishes): Promise<() => Promise<void>> {
  const { database, taskQueue, backoff } = wishes;
  const wake = wishes.wake ?? (() => {});
  const sender = createSafeSender({ trustedOrigins: wishes.trustedOrigins });
  const connection = await NativeConnection.connect({ address: wishes.temporalAddress });
  const now = (): Date => new Date();
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    activities: webhookActivities({
      database,
      contextFor: (organizationId, actor) =>
        createContext({ database, wake }, { organizationId, actor, now: now() }),
      clock: { now, skewMs: 0 },
      gateway: { send: () => Promise.reject(new Error('nothing is sent here')) },
      sender,
      keyring: testKeyring,
      wake,
      backoff,
      log: createLog({ level: 'silent', format: 'json' }),
    }),
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
    await connection.close();
    await sender.close();
  };
}
