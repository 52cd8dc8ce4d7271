import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { sweepActivities } from '../../activities/sweeps.ts';
import { upkeepActivities } from '../../activities/upkeep.ts';
import type { Actor } from '../../src/access/actor.ts';
import type { Keyring } from '../../src/crypto/keyring.ts';
import { createContext } from '../../src/db/contexts.ts';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { timeSkipping, workflowBundle } from './env.ts';
import { testKeyring } from './factories/numbers.ts';
import { keepHistory } from './histories.ts';

export interface UpkeepWish {
  /** A workflow that goes by the clock. */
  readonly workflow:
    | 'rollUpReports'
    | 'dropWebhookHistory'
    | 'forgetOldSecrets'
    | 'tendAuthorization'
    | 'rotateKeys'
    | 'closeIdleConversations'
    | 'tendAssignments'
    | 'dropMessageHistory'
    | 'warnExpiringKeys'
    | 'endListeners'
    | 'startDueAutomations'
    | 'checkNumbers';
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
  const now = (): Date => wish.now ?? new Date();
  const deps = {
    database,
    clock: { now, skewMs: 0 },
    keyring: wish.keyring ?? testKeyring,
    log: createLog({ level: 'silent', format: 'json' }),
    contextFor: (organizationId: string, actor: Actor) =>
      createContext({ database, wake: () => {} }, { organizationId, actor, now: now() }),
  };
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: { ...upkeepActivities(deps), ...sweepActivities(deps) },
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
