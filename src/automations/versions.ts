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

/** The latest versions of an automation, newest first, without their content. */
export const listVersions = (
  { sql, organizationId }: InWorkspace,
  automationId: string,
  limit: number,
): Promise<Omit<Version, 'definition'>[]> =>
  sql.rows(
    `select version, created_at from automation_versions where organization_id = $1 and automation_id = $2
     order by version desc limit $3`,
    [organizationId, automationId, limit],
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
