import { sample } from './sampler.ts';
import type { WebhookStage } from './webhook-stage.ts';

export interface LongTransaction {
  /** Milliseconds it had been open when it was last seen. */
  readonly ms: number;
  /** What it was doing then. */
  readonly says: string;
}

const EVERY_MS = 20;

const OLDEST = `
  select extract(epoch from clock_timestamp() - xact_start) * 1000 as ms, state || ': ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 120) as says
  from pg_stat_activity
  where backend_type = 'client backend' and datname = current_database() and xact_start is not null and state <> 'idle'
    and application_name <> 'bench' and pid <> pg_backend_pid()
  order by xact_start limit 1`;

/** Looks every 20 ms at how long the oldest open transaction of any client has been open. */
export function longestTransaction(stage: Pick<WebhookStage, 'rows'>): {
  stop(): Promise<LongTransaction>;
} {
  let longest: LongTransaction = { ms: 0, says: 'none was seen' };
  const looks = sample(EVERY_MS, async () => {
    const [row] = await stage.rows<{ ms: string; says: string }>(OLDEST);
    if (row && Number(row.ms) > longest.ms) longest = { ms: Number(row.ms), says: row.says };
  });
  return {
    stop: async () => {
      await looks.stop();
      return longest;
    },
  };
}
