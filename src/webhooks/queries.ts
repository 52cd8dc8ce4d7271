import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { EndpointRow } from './present.ts';
import { FAILING_AFTER } from './rules.ts';

const SHOWN = 'id, name, url, events, status, created_at';

const LIST_ENDPOINTS = `
  select ${SHOWN} from webhook_endpoints
  where organization_id = $1 and deleted_at is null and kind = 'endpoint' and ($2::text is null or id < $2)
  order by id desc limit $3`;

/** The workspace's endpoints, newest first, one more than the page holds. */
export function listEndpoints(
  ctx: Pick<ReadContext, 'sql' | 'organizationId'>,
  { limit, after }: PageRequest,
): Promise<EndpointRow[]> {
  const params = [ctx.organizationId, after?.id ?? null, limit + 1];
  return ctx.sql.rows<EndpointRow>(LIST_ENDPOINTS, params, 'list-endpoints');
}

const LIST_FAILING = `
  select id, name from webhook_endpoints
  where organization_id = $1 and deleted_at is null and kind = 'endpoint' and status = 'active'
    and failures_in_row >= ${FAILING_AFTER}
  order by id`;

/** The active endpoints whose last attempts have all failed, so that their deliveries wait. */
export const listFailing = ({
  sql,
  organizationId,
}: Pick<ReadContext, 'sql' | 'organizationId'>): Promise<Pick<EndpointRow, 'id' | 'name'>[]> =>
  sql.rows(LIST_FAILING, [organizationId], 'list-failing-endpoints');

/** One endpoint that is not deleted, or null. */
export const findEndpoint = (
  { sql, organizationId }: Pick<ReadContext, 'sql' | 'organizationId'>,
  id: string,
): Promise<EndpointRow | null> =>
  first<EndpointRow>(
    sql,
    `select ${SHOWN} from webhook_endpoints
     where organization_id = $1 and id = $2 and deleted_at is null and kind = 'endpoint'`,
    [organizationId, id],
    'get-endpoint',
  );

export const COUNT_ENDPOINTS = `
  select count(*) as used from webhook_endpoints
  where organization_id = $1 and deleted_at is null and kind = 'endpoint'`;
