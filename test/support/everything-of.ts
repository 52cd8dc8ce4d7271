import { type Database, inWorkspace } from '../../src/db/database.ts';

/** What of a workspace any call may touch: when its key was last used. */
const TOUCHED = ['api_keys'];

/** Every row of a workspace in every table that the service reads, as text: whatever changes there is found. */
export const everythingOf = (
  database: Database,
  { organizationId }: { readonly organizationId: string },
): Promise<string[]> =>
  inWorkspace(database, organizationId, async (sql) => {
    const tables = await sql.rows<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1)
         and c.relnamespace = 'public'::regnamespace and has_table_privilege(c.oid, 'select') order by 1`,
      [TOUCHED],
    );
    const each = tables.map(({ name }) => `select '${name} ' || t::text as said from ${name} t`);
    const rows = await sql.rows<{ said: string }>(`${each.join(' union all ')} order by 1`);
    return rows.map(({ said }) => said);
  });
