import { type Database, sqlOver } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';

const PATIENCE = { answerMs: 10 * 60_000 };

/** Tens of thousands of rows at once, which a busy machine may take longer over than the service waits. */
export async function fillTables<T>(
  { app }: Pick<Database, 'app'>,
  organizationId: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await app.connect();
  const sql = sqlOver(client, PATIENCE);
  try {
    await client.query('begin; set local statement_timeout = 0');
    await sql.rows("select set_config('app.organization', $1, true)", [organizationId]);
    const result = await work(sql);
    await client.query('commit');
    return result;
  } finally {
    // A failure ends the connection, and its transaction with it.
    client.release(true);
  }
}
