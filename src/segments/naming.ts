import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';

/** How many segments refer to one of the records with these ids; a condition's value is an id only as such a reference. */
export async function segmentsNaming(
  { sql, organizationId }: InWorkspace,
  ...ids: readonly string[]
): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    `select count(*) as used from segments s where s.organization_id = $1
       and exists (select from unnest($2::text[]) one (id) where position(one.id in s.rules::text) > 0)`,
    [organizationId, ids],
  );
  return row?.used ?? 0;
}
