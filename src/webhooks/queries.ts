import type { InWorkspace, ReadContext } from '../context.ts';
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
  ctx: InWorkspace,
  { limit, after }: PageRequest,
): Promise<EndpointRow[]> {
  const params = [ctx.organizationId, after?.id ?? null, limit + 1];
  return ctx.sql.rows<EndpointRow>(LIST_ENDPOINTS, params, 'list-endpoints');
}

/** Why an endpoint gets nothing at present, or not all. */
export interface FailingEndpoint extends Pick<EndpointRow, 'id' | 'name'> {
  /**
   * `held`: an operator has stopped what had gathered for it; only what is new goes out. `silent`: whoever made it did
   * not see the whole workspace, and has left or is suspended. `blocked`: its address may not be called or does not
   * exist, so that its deliveries end at once. `unsigned`: by a fault of ours, as a rule because
   * nothing opens its secret any more.
   */
  readonly trouble: 'held' | 'silent' | 'refusing' | 'unanswered' | 'blocked' | 'unsigned';
  /** What came of the newest delivery that did not succeed. */
  readonly code: number | null;
  readonly error: string | null;
}

/** Whether something of the endpoint `e` waits in its backlog until it is released or resumed. */
export const HOLDS_SOME = `
  exists (select from webhook_deliveries d
    where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.in_backlog and d.status = 'held')`;

const IS_HELD = `(e.backlog_held_at is not null and ${HOLDS_SOME})`;

/** Of those for whom `wms.member_sees` says no to every event. */
const IS_SILENT = `
  (e.member_id is not null and not exists (
    select from members m where m.organization_id = e.organization_id and m.id = e.member_id
      and (m.visibility = 'workspace' or m.status <> 'suspended')))`;

/** How else a delivery was ended says nothing about its endpoint. */
const OWN_ERROR = "case when d.error not in ('expired', 'cancelled_by_operator') then d.error end";

/**
 * Blocked: nothing newer has arrived than the last that did not succeed. Both are sorted, so that an index is read from
 * its end, however many have arrived since.
 */
const LIST_FAILING = `
  select e.id, e.name, last.code, last.error, case
      when ${IS_HELD} then 'held' when ${IS_SILENT} then 'silent'
      when last.status = 'blocked' then 'blocked' when last.error = 'internal' then 'unsigned'
      when last.code is null then 'unanswered' else 'refusing' end as trouble
  from webhook_endpoints e left join lateral (
    select d.id, d.status, d.code, ${OWN_ERROR} as error from webhook_deliveries d
    where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.status in ('failed', 'blocked', 'retrying')
    order by d.id desc limit 1) last on true
  where e.organization_id = $1 and e.deleted_at is null and e.kind = 'endpoint' and e.status = 'active'
    and (${IS_HELD} or ${IS_SILENT} or e.failures_in_row >= ${FAILING_AFTER} or last.status = 'blocked' and (
      select n.id from webhook_deliveries n
      where n.organization_id = e.organization_id and n.endpoint_id = e.id and n.id > last.id and n.status = 'succeeded'
      order by n.id desc limit 1) is null)
  order by e.id`;

/** The active endpoints that no event reaches, or whose last attempts have all failed or were blocked. */
export const listFailing = ({ sql, organizationId }: InWorkspace): Promise<FailingEndpoint[]> =>
  sql.rows(LIST_FAILING, [organizationId], 'list-failing-endpoints');

/** One endpoint that is not deleted, or null. */
export const findEndpoint = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<EndpointRow | null> =>
  first<EndpointRow>(
    sql,
    `select ${SHOWN} from webhook_endpoints
     where organization_id = $1 and id = $2 and deleted_at is null and kind = 'endpoint'`,
    [organizationId, id],
    'get-endpoint',
  );

/** What only the console shows of an endpoint. */
interface EndpointBackground {
  /** The name of the app through which it was created; null if a person or a key did so. */
  readonly app: string | null;
  /** Of the secret before the present one; null if it signs no more. */
  readonly previousSignsUntil: Date | null;
}

export const findBackground = (
  { sql, organizationId, now }: Pick<ReadContext, 'sql' | 'organizationId' | 'now'>,
  id: string,
): Promise<EndpointBackground | null> =>
  first<EndpointBackground>(
    sql,
    `select app_name as app, case when previous_valid_until > $3 then previous_valid_until end as "previousSignsUntil"
     from webhook_endpoints where organization_id = $1 and id = $2`,
    [organizationId, id, now],
  );

const COUNT_ENDPOINTS = `
  select count(*) as used from webhook_endpoints
  where organization_id = $1 and deleted_at is null and kind = 'endpoint' and ($2::text is null or member_id = $2)`;

/** How many there are, or how many of them this member made. */
export async function countEndpoints(
  { sql, organizationId }: InWorkspace,
  memberId: string | null,
): Promise<number> {
  const row = await first<{ used: number }>(sql, COUNT_ENDPOINTS, [organizationId, memberId]);
  return row?.used ?? 0;
}
