import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';

/**
 * Which of these ids are teams of the workspace, which then stay until the transaction ends. One that is just being removed
 * is waited for.
 */
export async function keepTeams(
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.rows<{ id: string }>(
    'select id from teams where organization_id = $1 and id = any($2::text[]) order by id for key share',
    [organizationId, ids],
  );
  return new Set(rows.map((row) => row.id));
}

/**
 * Whether this is a member of the workspace, who then stays until the transaction ends. One who is just being removed or
 * suspended is waited for.
 */
export const keepMember = async (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<boolean> =>
  (await first(sql, 'select 1 from members where organization_id = $1 and id = $2 for key share', [
    organizationId,
    id,
  ])) !== null;
