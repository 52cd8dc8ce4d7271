import pg from 'pg';

/** One value of one column. */
export interface Stored {
  /** `table.column`. */
  readonly where: string;
  readonly value: string;
}

/** Every value of every table but Temporal's, past row level security, as a dump has it. */
export async function everythingStored(ownerUrl: string): Promise<Stored[]> {
  const url = new URL(process.env['TEST_PG_URL'] ?? '');
  url.pathname = new URL(ownerUrl).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string; sql: string }>(
    `select tablename as name, format('%I.%I', schemaname, tablename) as sql from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const stored: Stored[] = [];
  for (const { name, sql } of tables) {
    const { rows } = await client.query<{ column: string; value: string | null }>(
      `select v.key as column, v.value from ${sql} t, jsonb_each_text(to_jsonb(t)) v`,
    );
    for (const { column, value } of rows)
      if (value !== null) stored.push({ where: `${name}.${column}`, value });
  }
  await client.end();
  return stored;
}
