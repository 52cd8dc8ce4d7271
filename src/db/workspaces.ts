import { asSystem, type Database } from './database.ts';

const PAGE = 100;

/** Selects workspaces by rows: the table and the condition. Our own SQL; its parameters begin at `$2`. */
interface Having {
  readonly table: string;
  readonly where: string;
  readonly params?: readonly unknown[];
}

const ANY: Having = { table: 'workspaces', where: 'true' };

/** The next page of workspaces after `after`, in the order of their ids: all, or those with such rows. */
export async function workspacesAfter(
  database: Pick<Database, 'system'>,
  after: string,
  { table, where, params = [] }: Having = ANY,
): Promise<{ ids: string[]; last: boolean }> {
  const rows = await asSystem(database, (sql) =>
    sql.rows<{ id: string }>(
      `select distinct organization_id as id from ${table}
       where organization_id > $1 and (${where}) order by 1 limit ${PAGE}`,
      [after, ...params],
    ),
  );
  return { ids: rows.map(({ id }) => id), last: rows.length < PAGE };
}

/** All of these workspaces, for work that ends where one of them fails; `sweep` passes over it. */
export async function* eachWorkspace(
  database: Pick<Database, 'system'>,
  having?: Having,
): AsyncGenerator<string, void> {
  let after = '';
  for (let more = true; more; ) {
    const { ids, last } = await workspacesAfter(database, after, having);
    yield* ids;
    after = ids.at(-1) ?? after;
    more = !last;
  }
}
