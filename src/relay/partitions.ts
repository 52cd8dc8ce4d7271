import { asSystem, type Database } from '../db/database.ts';
import { DAYS_AHEAD } from '../db/partitions.ts';
import { first, type Sql } from '../db/sql.ts';
import { HOUR_MS } from '../durations.ts';
import type { Log } from '../log.ts';

const EVERY_MS = HOUR_MS;
/**
 * Whoever waits to add a partition keeps all webhooks waiting. If a backup or the upkeep reads the tables, a later hour
 * will do, for there are days ahead.
 */
const LOCK = "set local lock_timeout = '300ms'";

const ENSURE = `
  select wms.ensure_partitions(${DAYS_AHEAD}, (select wms.id_day(id) from facts
    where is_event and dead_at is null order by id limit 1))`;

/**
 * Partitions for the days ahead, and for those of events that still wait, which no worker made while none ran. In the
 * caller's transaction.
 */
export const ensurePartitions = (sql: Sql): Promise<unknown> =>
  sql.rows(ENSURE, [], 'ensure-partitions');

/** Creates partitions while the process runs. One process does so, under a lock; the others find them. */
export async function keepPartitions(
  database: Pick<Database, 'system'>,
  log: Log,
): Promise<{ stop(): void }> {
  const ensure = (): Promise<unknown> =>
    asSystem(database, async (sql) => {
      await sql.rows(LOCK);
      await ensurePartitions(sql);
    });
  const ready = (): Promise<boolean> =>
    asSystem(database, async (sql) => {
      const row = await first<{ ready: boolean }>(sql, 'select wms.partitions_ready() as ready');
      return row?.ready === true;
    });
  await ensure().catch(async (error: unknown) => {
    if (!(await ready())) throw error;
  });
  const timer = setInterval(() => {
    ensure().catch((error: unknown) => log.error({ err: error }, 'no partitions were made'));
  }, EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
