import type { DatabaseClock } from './db/clock.ts';
import type { Database } from './db/database.ts';
import type { Probe } from './http/health.ts';
import type { Relay } from './relay/relay.ts';
import type { Temporal } from './temporal/connection.ts';
import type { RunningWorker } from './worker.ts';

const MAX_SKEW_MS = 5_000;

export interface Readiness {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly temporal: Temporal;
  /** Present in a process with the role `worker`; a part is null until it runs. */
  readonly work: { relay: Relay | null; worker: RunningWorker | null } | null;
}

/** What must be well for this process to do its work; Temporal only where workflows run. */
export function probes({ database, clock, temporal, work }: Readiness): Probe[] {
  const common: Probe[] = [
    { name: 'database', required: true, check: () => migrated(database) },
    { name: 'clock', required: true, check: () => inStep(clock) },
    { name: 'temporal', required: work !== null, check: () => says(temporal.problem(), 'answers') },
  ];
  if (!work) return common;
  const running = (part: { problem(): string | null } | null, name: string): Promise<string> =>
    says(Promise.resolve(part ? part.problem() : `The ${name} has not started yet.`), 'runs');
  return [
    ...common,
    { name: 'relay', required: true, check: () => running(work.relay, 'relay') },
    { name: 'worker', required: true, check: () => running(work.worker, 'worker') },
  ];
}

async function migrated({ system }: Database): Promise<string> {
  const { rows } = await system.query<{ ready: boolean }>('select wms.partitions_ready() as ready');
  if (!rows[0]?.ready) throw new Error("Tomorrow's partitions are missing: a worker makes them.");
  return 'answers, migrated, partitions made';
}

async function inStep(clock: DatabaseClock): Promise<string> {
  const seconds = (Math.abs(clock.skewMs) / 1_000).toFixed(1);
  if (Math.abs(clock.skewMs) > MAX_SKEW_MS) {
    throw new Error(`This machine's clock is ${seconds} s away from the database's.`);
  }
  return `${seconds} s away from the database's`;
}

async function says(problem: Promise<string | null>, well: string): Promise<string> {
  const found = await problem;
  if (found) throw new Error(found);
  return well;
}
