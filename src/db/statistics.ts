import pg from 'pg';

/**
 * What plans expect of a workspace, and of the columns of which one value may be in all rows until they are analyzed
 * (decision 6). A dump leaves it behind, so it is said anew whenever the database is migrated: whether it is there
 * PostgreSQL tells superusers alone, where row level security is forced.
 */
const EXPECT = `
do $$
declare
  it record;
begin
  for it in
    select c.oid::regclass as tbl, a.attname::text as col from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and (c.relkind = 'p' or c.relkind = 'r' and not c.relispartition) and (
      a.attname = 'organization_id'
      or (c.relname, a.attname) in (('campaign_recipients', 'campaign_id'), ('contact_import_rows', 'import_id'))
        and coalesce(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid)) is null)
    order by c.oid
  loop
    call wms.expect_one_value(it.tbl, it.col);
  end loop;
end $$`;

/** @param lockMs how long it waits for a table that is being vacuumed or indexed */
export async function expectOfWorkspaces(ownerUrl: string, lockMs: number): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    connectionTimeoutMillis: 3_000,
    options: `-c lock_timeout=${lockMs}`,
  });
  // A lost connection is reported to whoever awaits the query.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(EXPECT);
  } finally {
    await client.end();
  }
}
