import type { DatabaseClock } from './db/clock.ts';
import type { Database } from './db/database.ts';
import type { Probe } from './http/serving/health.ts';
import type { Relay } from './relay/relay.ts';
import { reach, type TemporalAddress } from './temporal/address.ts';
import type { Temporal } from './temporal/connection.ts';
import type { RunningWorker } from './temporal-worker.ts';

const MAX_SKEW_MS = 5_000;

export interface Readiness {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly temporal: TemporalAddress;
  /** Present in a process with the role `worker`; a part is null until it runs. */
  readonly work: {
    temporal: Temporal | null;
    relay: Relay | null;
    worker: RunningWorker | null;
  } | null;
}

/** What must be well for this process to do its work; Temporal only if it runs workflows. */
export function probes({ database, clock, temporal, work }: Readiness): Probe[] {
  const common: Probe[] = [
    { name: 'database', required: true, check: () => migrated(database) },
    { name: 'clock', required: true, check: () => inStep(clock) },
    { name: 'partitions', required: work !== null, check: () => partitioned(database) },
  ];
  if (!work)
    return [...common, { name: 'temporal', required: false, check: () => reach(temporal) }];
  const part = (name: 'temporal' | 'relay' | 'worker', well: string): Probe => ({
    name,
    required: true,
    check: async () => {
      const found = work[name];
      const problem = found ? await found.problem() : `The ${name} has not started yet.`;
      if (problem) throw new Error(problem);
      return well;
    },
  });
  return [...common, part('temporal', 'answers'), part('relay', 'runs'), part('worker', 'runs')];
}

const READY = 'select wms.partitions_ready() as ready';

async function migrated({ system }: Database): Promise<string> {
  await system.query(READY);
  return 'answers, migrated';
}

/** Only workers write into them; what an api records waits beside. */
async function partitioned({ system }: Database): Promise<string> {
  const { rows } = await system.query<{ ready: boolean }>(READY);
  if (!rows[0]?.ready)
    throw new Error("Tomorrow's are missing: a worker, or wms migrate, makes them.");
  return 'made';
}

async function inStep(clock: DatabaseClock): Promise<string> {
  const seconds = (Math.abs(clock.skewMs) / 1_000).toFixed(1);
  if (Math.abs(clock.skewMs) > MAX_SKEW_MS) {
    throw new Error(
      `This machine's clock is ${seconds} s away from the database's. Set the one that is wrong (NTP).`,
    );
  }
  return `${seconds} s away from the database's`;
}
