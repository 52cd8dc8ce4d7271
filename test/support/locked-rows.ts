import type pg from 'pg';

/** Names of the tables with rows that others could not change now, because somebody has locked or changed them. */
export async function tablesWithLockedRows(superuser: pg.Client): Promise<string[]> {
  const { rows: tables } = await superuser.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const looks = tables.map(
    ({ name }) => `select '${name}' as name where (select count(*) from ${name}) >
      (select count(*) from (select from ${name} for no key update skip locked) free)`,
  );
  const { rows } = await superuser.query<{ name: string }>(looks.join(' union all '));
  return rows.map(({ name }) => name);
}
