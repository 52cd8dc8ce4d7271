import type { InWorkspace } from '../context.ts';

/** The names of these groups, by id; "" where WhatsApp has not told it yet. For lists of other records. */
export async function groupNames(
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows<{ id: string; name: string }>(
    'select id, name from groups where organization_id = $1 and id = any($2::text[])',
    [organizationId, ids],
    'group-names',
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
