import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { upkeepActivities } from '../../activities/upkeep.ts';
import type { Keyring } from '../../src/crypto/keyring.ts';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { testKeyring } from './factories/numbers.ts';
import { keepHistory } from './histories.ts';
import { timeSkipping, workflowBundle } from './temporal.ts';

export interface UpkeepWish {
  /** A workflow of `workflows/upkeep.ts` that goes by the clock. */
  readonly workflow: 'rollUpReports' | 'dropWebhookHistory' | 'forgetOldSecrets' | 'rotateKeys';
  /** The name that its history is recorded under. */
  readonly history: string;
  readonly database: Database;
  /** The machine's time when left out. */
  readonly now?: Date;
  readonly keyring?: Keyring;
}

/** Runs one of the service's own upkeeps to its end, as its Schedule would. */
export async function runUpkeep({ database, ...wish }: UpkeepWish): Promise<void> {
  const environment = await timeSkipping();
  const taskQueue = `upkeep-${randomUUID()}`;
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: upkeepActivities({
      database,
      clock: { now: () => wish.now ?? new Date(), skewMs: 0 },
      keyring: wish.keyring ?? testKeyring,
      log: createLog({ level: 'silent', format: 'json' }),
    }),
  });
  try {
    await worker.runUntil(async () => {
      const handle = await environment.client.workflow.start(wish.workflow, {
        workflowId: `upkeep:${randomUUID()}`,
        taskQueue,
      });
      await handle.result();
      await keepHistory(handle, wish.history);
    });
  } finally {
    await environment.teardown();
  }
}
