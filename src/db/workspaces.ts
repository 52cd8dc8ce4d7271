import { asSystem, type Database } from './database.ts';

const PAGE = 100;

/** The next page of workspaces in the order of their ids, after `after`; fewer than asked for at the end. */
export async function workspacesAfter(
  database: Pick<Database, 'system'>,
  after: string,
): Promise<{ ids: string[]; last: boolean }> {
  const rows = await asSystem(database, (sql) =>
    sql.rows<{ id: string }>(
      'select organization_id as id from workspaces where organization_id > $1 order by organization_id limit $2',
      [after, PAGE],
    ),
  );
  return { ids: rows.map(({ id }) => id), last: rows.length < PAGE };
}
