import { asOwner } from './owner.ts';

/** Partitions are made for so many days ahead: so long may no worker run. */
export const DAYS_AHEAD = 7;

/**
 * Partitions for the days ahead, if tomorrow's are missing: of a database that was restored, or in which no worker has
 * run for a week. Where they are there, a worker makes the next ones, and nothing is locked.
 */
export async function partitionsAhead(ownerUrl: string): Promise<void> {
  const ensure = 'select wms.ensure_partitions($1) where not wms.partitions_ready()';
  await asOwner(ownerUrl, (client) => client.query(ensure, [DAYS_AHEAD]), '-c lock_timeout=2000');
}
