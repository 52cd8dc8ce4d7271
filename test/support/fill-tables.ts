import { type Database, inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';

/** Tens of thousands of rows at once, which a busy machine may take longer over than the service waits. */
export const fillTables = <T>(
  database: Pick<Database, 'app'>,
  organizationId: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> =>
  inWorkspace(database, organizationId, async (sql) => {
    await sql.rows('set local statement_timeout = 0');
    return work(sql);
  });
