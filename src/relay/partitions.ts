import { asSystem, type Database } from '../db/database.ts';
import type { Log } from '../log.ts';

const DAYS_AHEAD = 7;
const EVERY_MS = 3_600_000;

/** Creates partitions for the days ahead. One process does so, under a lock; the others find them. */
export async function keepPartitions(
  database: Pick<Database, 'system'>,
  log: Log,
): Promise<{ stop(): void }> {
  const ensure = (): Promise<unknown> =>
    asSystem(database, (sql) => sql.rows('select wms.ensure_partitions($1)', [DAYS_AHEAD]));
  await ensure();
  const timer = setInterval(() => {
    ensure().catch((error: unknown) => log.error({ err: error }, 'no partitions were made'));
  }, EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
