import { sqlOver } from '../db/database.ts';
import { first } from '../db/sql.ts';
import type { Session } from './session.ts';

/** The workspace of a record, found by its id alone; null if this table has no such record. */
export async function workspaceHaving(
  { database }: Pick<Session, 'database'>,
  table: string,
  id: string,
): Promise<string | null> {
  const row = await first<{ organizationId: string }>(
    sqlOver(database.system),
    `select organization_id as "organizationId" from ${table} where id = $1`,
    [id],
  );
  return row?.organizationId ?? null;
}
