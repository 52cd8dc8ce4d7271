import { first, type Sql } from '../../src/db/sql.ts';

const READ = `select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
  where relname = any($1)`;

/** How many rows of these tables the transaction has read so far. */
export const rowsRead = async (sql: Sql, tables: readonly string[]): Promise<number> =>
  (await first<{ rows: number }>(sql, READ, [tables]))?.rows ?? 0;
