import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/durations.ts';
import type { Crew } from '../../test/chaos/random/crew.ts';
import type { Ground } from '../../test/chaos/random/ground.ts';
import type { ChaosStage } from '../../test/chaos/support/stage.ts';
import { memoryMb } from '../support/memory.ts';

/** What everything took at one moment. */
export interface Look {
  readonly minute: number;
  /** Megabytes by part; what PostgreSQL's processes share counts once. 0 while a part is being replaced. */
  readonly memory: Readonly<Record<string, number>>;
  /** Megabytes by place. */
  readonly disk: Readonly<Record<string, number>>;
}

export interface Watch {
  readonly looks: readonly Look[];
  stop(): Promise<void>;
}

const MB = 1_048_576;

/** Looks once a minute, and once more at the end. @param say called with each look. */
export function watch(
  { stage, crew, ground: { cluster, temporal } }: { stage: ChaosStage; crew: Crew; ground: Ground },
  say: (look: Look) => void,
): Watch {
  const looks: Look[] = [];
  const startedAt = Date.now();
  let stopped = false;
  const look = (): void => {
    const own = crew.parts.map(
      (part) =>
        [
          part.name,
          memoryMb({ ...part, pid: part.pid(), children: part.kind === 'postgres' }),
        ] as const,
    );
    const simulator = memoryMb({ name: 'simulator', pid: stage.processes.simulator.pid });
    const log = bytesIn(path.join(cluster.dataDir, 'pg_wal'));
    const seen = {
      minute: Math.round((Date.now() - startedAt) / MINUTE_MS),
      memory: { ...Object.fromEntries(own), simulator },
      disk: {
        tables: (bytesIn(cluster.dataDir) - log) / MB,
        log: log / MB,
        temporal: bytesIn(temporal.dataDir) / MB,
      },
    };
    looks.push(seen);
    say(seen);
  };
  const looking = (async () => {
    for (let next = startedAt; !stopped; await sleep(200)) {
      if (Date.now() < next) continue;
      look();
      next += MINUTE_MS;
    }
  })();
  looking.catch(() => {});
  return {
    looks,
    stop: async () => {
      stopped = true;
      await looking;
      look();
    },
  };
}

/** Of all files below; what vanishes meanwhile counts nothing. */
function bytesIn(folder: string): number {
  const entries = fs.globSync('**', { cwd: folder, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + sizeOf(path.join(parentPath, name)), 0);
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

export interface Relation {
  readonly name: string;
  readonly rows: number;
  readonly mb: number;
}

/** The largest tables with their indexes, partitions together. */
export async function largest(stage: ChaosStage): Promise<Relation[]> {
  await stage.rows('analyze');
  return await stage.rows<Relation & Record<string, unknown>>(
    `select coalesce(p.inhparent::regclass::text, c.oid::regclass::text) as name,
       sum(greatest(c.reltuples, 0))::int as rows, round(sum(pg_total_relation_size(c.oid)) / ${MB}, 1)::float as mb
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits p on p.inhrelid = c.oid
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
     group by 1 order by 3 desc limit 12`,
  );
}
