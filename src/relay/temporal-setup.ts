import type { Log } from '../log.ts';
import type { Temporal } from '../temporal/connection.ts';
import { ensureSchedules, lookAtSchedules, otherQueues } from '../temporal/schedules.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createLoop, type Loop } from './loop.ts';
import type { Presence } from './processes/presence.ts';

type Setup = { readonly temporal: Temporal; readonly taskQueue: string };
type Kept = Setup & { readonly showServer: Presence['showServer'] };

const DEADLINE_MS = 5_000;

/** Prepares a Temporal server for the service. Changes nothing that exists. */
export const setUpTemporal = ({ temporal, taskQueue }: Setup): Promise<void> =>
  temporal.connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
    await registerSearchAttributes(temporal.connection, temporal.address.namespace);
    await ensureSchedules(temporal.client, taskQueue);
  });

/**
 * Repeats the preparation, because a server that was emptied or replaced has lost its Schedules. Logs an error
 * if other workers of the database use another server, or if upkeep runs on another queue than this worker's.
 */
export function keepTemporalSetUp(setup: Kept, log: Log, everyMs = 60_000): Loop {
  const compare = comparison(setup, log);
  const lookAtQueues = queueCheck(setup, log);
  return createLoop({
    name: 'setting up Temporal',
    everyMs,
    log,
    work: async () => {
      await setUpTemporal(setup);
      await compare();
      await lookAtQueues();
      return false;
    },
  });
}

/**
 * Two servers around one database both start workflows for the same rows. That is only reported, not refused: where a
 * server was replaced while all were running, each worker notices at its own next check. It is reported if it is
 * found twice in a row.
 */
function comparison({ temporal, showServer }: Kept, log: Log): () => Promise<void> {
  const { connection, address } = temporal;
  const { namespace } = address;
  let looks = 0;
  return async () => {
    const { namespaceInfo } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    const others = await showServer(namespaceInfo?.id ?? '');
    looks = others > 0 ? looks + 1 : 0;
    if (looks === 2)
      log.error(
        { address: address.address, others },
        'other workers of this database use another Temporal server, and workflows are started on both: set the same ' +
          'TEMPORAL_ADDRESS for all workers',
      );
  };
}

/**
 * Schedules keep the queue that they were made with. They are not moved: two installations in one namespace would take
 * them from each other each minute. Looked at once in the life of a process, for which the queue stays the same.
 */
function queueCheck({ temporal, taskQueue }: Setup, log: Log): () => Promise<void> {
  let looked = false;
  return async () => {
    if (looked) return;
    const schedules = await temporal.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      lookAtSchedules(temporal.client),
    );
    looked = true;
    const queues = otherQueues(schedules, taskQueue);
    if (queues.length > 0)
      log.error(
        { taskQueue, queues },
        'upkeep is started on another task queue than the one of this worker: give each installation a namespace of its ' +
          'own or, if TEMPORAL_TASK_QUEUE was changed, delete the Schedules upkeep:…, which are made anew within a minute',
      );
  };
}
