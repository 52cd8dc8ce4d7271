import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';

/**
 * SQL: the drafts of a workspace's automations, and the published definitions of those that are on, as `words`. A
 * record's id appears in them only as a reference to it.
 */
export const AUTOMATIONS_SAID = `
  select a.draft::text || coalesce(v.definition::text, '') as words from automations a
  left join automation_versions v on v.organization_id = a.organization_id and v.automation_id = a.id
    and v.version = a.version and a.status = 'active'
  where a.organization_id = $1`;

/** How many automations refer to the record with this id. */
export async function automationsNaming(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    `select count(*) as used from (${AUTOMATIONS_SAID}) said where position($2 in said.words) > 0`,
    [organizationId, id],
  );
  return row?.used ?? 0;
}

/** How many segments refer to it; a condition's value is an id only as such a reference. */
export async function segmentsNaming(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    `select count(*) as used from segments where organization_id = $1 and position($2 in rules::text) > 0`,
    [organizationId, id],
  );
  return row?.used ?? 0;
}
