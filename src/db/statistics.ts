import type pg from 'pg';
import { asOwner } from './owner.ts';
import { isState, LOCK_TIMEOUT } from './sqlstates.ts';

/** Longer than autovacuum takes to give way. */
const LOCK_MS = 2_000;
const TRIES = 2;

/** What `wms.expect_one_value` sets; ids that were analyzed have 31, and texts of which nothing is known 32. */
const EXPECTED_WIDTH = 30;

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Not of partitioned tables, whose plans ask for the statistics of their partitions together, and those are not set. */
const COLUMNS = `
select c.oid::regclass::text as table, a.attname::text as column
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition and (
  a.attname = 'organization_id'
  or (c.relname, a.attname) in (('campaign_recipients', 'campaign_id'), ('contact_import_rows', 'import_id'))
    and coalesce(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid)) is null)
order by c.oid`;

/**
 * What plans expect of a workspace, and of the columns of which one value may be in all rows until they are analyzed
 * (decision 6). A dump leaves it behind, so it is looked for whenever the database is migrated, and said anew where it
 * is missing. It is a hint, for which nobody waits long.
 *
 * @returns the tables without it, because they were being vacuumed or indexed all the time
 */
export const expectOfWorkspaces = (ownerUrl: string): Promise<string[]> =>
  asOwner(
    ownerUrl,
    async (client) => {
      let left = (await client.query<Column>(COLUMNS)).rows;
      for (let tried = 0; tried < TRIES; tried += 1) left = await expectOneValue(client, left);
      return [...new Set(left.map(({ table }) => table))];
    },
    `-c lock_timeout=${LOCK_MS}`,
  );

/** Each by itself, so that no lock is kept. Returns those that were locked. */
async function expectOneValue(client: pg.Client, columns: readonly Column[]): Promise<Column[]> {
  const locked: Column[] = [];
  for (const one of columns) {
    try {
      if (await isExpected(client, one)) continue;
      await client.query('call wms.expect_one_value($1::regclass, $2)', [one.table, one.column]);
    } catch (error) {
      if (!isState(error, LOCK_TIMEOUT)) throw error;
      locked.push(one);
    }
  }
  return locked;
}

/** Only superusers may read the statistics where row level security is forced; how wide a column is for plans, all see. */
async function isExpected(client: pg.Client, { table, column }: Column): Promise<boolean> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Width': number } }] }>(
    `explain (format json) select ${column} from only ${table}`,
  );
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Width'] === EXPECTED_WIDTH;
}
