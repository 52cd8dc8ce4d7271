import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';

/**
 * SQL: the drafts of a workspace's automations, and the published definitions of those that are on, as `words`, with their names. A
 * record's id appears in them only as a reference to it.
 */
export const AUTOMATIONS_SAID = `
  select a.id, a.name, a.draft::text || coalesce(v.definition::text, '') as words from automations a
  left join automation_versions v on v.organization_id = a.organization_id and v.automation_id = a.id
    and v.version = a.version and a.status = 'active'
  where a.organization_id = $1`;

/** How many automations refer to one of the records with these ids; to itself an automation may. */
export async function automationsNaming(
  { sql, organizationId }: InWorkspace,
  ...ids: readonly string[]
): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    `select count(*) as used from (${AUTOMATIONS_SAID}) said
     where exists (select from unnest($2::text[]) one (id) where one.id <> said.id and position(one.id in said.words) > 0)`,
    [organizationId, ids],
  );
  return row?.used ?? 0;
}

/** Which automations these are, by name. */
export async function namesOfAutomationsNaming(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>(
    `select name from (${AUTOMATIONS_SAID}) said where position($2 in said.words) > 0 order by name`,
    [organizationId, id],
  );
  return rows.map(({ name }) => name);
}
