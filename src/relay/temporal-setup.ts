import type { Log } from '../log.ts';
import type { Temporal } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
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
 * Repeats the preparation, because a server that was emptied or replaced has lost its Schedules. Logs a warning if
 * other workers of the database use another server.
 */
export function keepTemporalSetUp(setup: Kept, log: Log, everyMs = 60_000): Loop {
  const compare = comparison(setup, log);
  return createLoop({
    name: 'setting up Temporal',
    everyMs,
    log,
    work: async () => {
      await setUpTemporal(setup);
      await compare();
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
