import type { Sql } from '../db/sql.ts';
import type { EndpointStatus } from './rules.ts';

/** An endpoint as an operator sees it. */
export interface OperatedEndpoint {
  readonly workspace: string;
  readonly id: string;
  readonly status: EndpointStatus;
  /** Paused by `wms webhook pause`, and not by its owner since. */
  readonly paused_by_operator: boolean;
  readonly failures_in_row: number;
  readonly name: string;
  readonly url: string;
}

const OPERATED = `
  select organization_id as workspace, id, status, paused_by_operator, failures_in_row, name, url
  from webhook_endpoints
  where deleted_at is null and (kind = 'endpoint' or $3) and ($1::text is null or organization_id = $1) and ($2::text is null or id = $2)
  order by organization_id, id`;

/**
 * The endpoints of one workspace or of all, or the one of this id; as the system, which sees all workspaces.
 *
 * @param listeners whether developers' machines count as endpoints
 */
export const operatedEndpoints = (
  sql: Sql,
  { workspace, endpoint }: { readonly workspace?: string; readonly endpoint?: string },
  listeners = false,
): Promise<OperatedEndpoint[]> =>
  sql.rows<OperatedEndpoint>(OPERATED, [workspace ?? null, endpoint ?? null, listeners]);
