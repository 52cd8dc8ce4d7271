import { ApplicationFailure, type Client } from '@temporalio/client';
import { forEachLimited } from '../concurrency.ts';
import { type Database, sqlOver } from '../db/database.ts';
import type { Log } from '../log.ts';
import type { PresenceCache } from './processes/presence.ts';

export interface RescueParts {
  readonly database: Pick<Database, 'system'>;
  readonly client: Client;
  /** This process's own token. */
  readonly token: string;
  readonly presenceCache: PresenceCache;
  readonly log: Log;
}

/** How often a process checks whether the others are alive, and how often it looks for others when it is alone. */
const EVERY_MS = { together: 100, alone: 1_000 };
const DEADLINE_MS = 2_000;
const AT_ONCE = 8;

const SENDING = `
  select id from campaigns where status = 'sending' order by id limit 1000`;

/** Reported for an activity whose process is gone, so that Temporal gives it to another one at once. */
const ENDED = {
  message: 'The process that did it has ended.',
  type: 'ProcessEnded',
  nextRetryDelay: '1ms',
} as const;

/** The name by which Temporal knows a worker, so that a dead worker's activities can be told apart. */
export const workerIdentity = (token: string, processId: number, host: string): string =>
  `${processId}@${host}#${token}`;

/**
 * Lets campaigns continue within moments after the worker that sends them is killed, if there are others; Temporal
 * itself notices a missing heartbeat only after 5 seconds. A process that is wrongly taken for dead, because it lost
 * its connection, finishes what it claimed and stops; meanwhile both share the slots of the pace.
 */
export function createRescue(parts: RescueParts): {
  look(): Promise<void>;
  /** Milliseconds until the next look. */
  everyMs(): number;
} {
  const { database, client, token, presenceCache, log } = parts;
  const sql = sqlOver(database.system);
  let others = new Set<string>();
  let missing = new Set<string>();

  /** Absent in two checks in a row. */
  async function whoIsGone(): Promise<{ gone: Set<string>; living: Set<string> }> {
    const living = await presenceCache.ask();
    const absent = new Set([...others].filter((other) => !living.has(other)));
    const gone = new Set([...absent].filter((other) => presenceCache.sure && missing.has(other)));
    missing = absent;
    others = new Set([...living, ...absent].filter((each) => each !== token && !gone.has(each)));
    return { gone, living };
  }

  return {
    look: async () => {
      const { gone, living } = await whoIsGone();
      // One of the remaining processes does it; if that one dies too, the missing heartbeat still has the same effect.
      if (gone.size === 0 || [...living].some((other) => other < token)) return;
      log.warn({ processes: [...gone] }, 'campaigns of ended processes go on in others');
      const campaigns = await sql.rows<{ id: string }>(SENDING, [], 'sending-campaigns');
      await forEachLimited(AT_ONCE, campaigns, ({ id }) =>
        takeOver(client, `campaign:${id}`, gone),
      );
    },
    everyMs: () => (others.size === 0 ? EVERY_MS.alone : EVERY_MS.together),
  };
}

async function takeOver(client: Client, workflowId: string, gone: Set<string>): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  await client.withDeadline(Date.now() + DEADLINE_MS, async () => {
    try {
      const { raw, runId } = await handle.describe();
      const theirs = (raw.pendingActivities ?? []).filter(({ lastWorkerIdentity }) =>
        gone.has(lastWorkerIdentity?.split('#').at(-1) ?? ''),
      );
      // Its next task need not wait for the cache of a process that is gone.
      await client.workflowService.resetStickyTaskQueue({
        namespace: client.options.namespace,
        execution: { workflowId, runId },
      });
      for (const { activityId } of theirs)
        await client.activity.fail(
          { workflowId, runId, activityId: activityId ?? '' },
          ApplicationFailure.create(ENDED),
        );
    } catch {
      // It has ended, or has continued already; otherwise the missing heartbeat is noticed later.
    }
  });
}
