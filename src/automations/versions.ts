import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import type { Definition } from './definition/language.ts';

/** A published version; runs continue with the version they began with. */
export interface Version {
  readonly version: number;
  readonly definition: Definition;
  readonly created_at: Date;
}

/** The latest versions of an automation before this one, or of all; newest first, without their content. */
export const listVersions = (
  { sql, organizationId }: InWorkspace,
  automationId: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<Omit<Version, 'definition'>[]> =>
  sql.rows(
    `select version, created_at from automation_versions where organization_id = $1 and automation_id = $2
       and ($3::int is null or version < $3) order by version desc limit $4`,
    [organizationId, automationId, before, limit],
  );

/** Throws 404. */
export async function getVersion(
  { sql, organizationId }: InWorkspace,
  automationId: string,
  version: number,
): Promise<Version> {
  const found = await first<Version>(
    sql,
    `select version, definition, created_at from automation_versions
     where organization_id = $1 and automation_id = $2 and version = $3`,
    [organizationId, automationId, version],
  );
  if (!found) throw notFound('version');
  return found;
}
