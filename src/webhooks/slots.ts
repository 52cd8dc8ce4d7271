import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** An endpoint whose backlog got a delivery that is due then; null is now. */
export interface Parked {
  readonly endpointId: string;
  readonly due: Date | null;
}

/**
 * So much later than it could be a backlog's next look may come, unless it has none yet: what was never
 * attempted waits for the next probes, a retry begins within a second of its time.
 */
const SOON_ENOUGH = `interval '6 seconds'`;
const ON_TIME = `interval '250 milliseconds'`;

/**
 * Has the backlogs drained that nobody looks at in time. Said once: the endpoint's next look is moved, and
 * whoever comes after sees that. It waits for a look in progress, which may be about to end.
 */
const START_DRAINS = `
  with due as (
    select p.id, min(coalesce(p.due, now())) as due, min(coalesce(p.due + ${ON_TIME}, now() + ${SOON_ENOUGH})) as latest
    from unnest($1::text[], $2::timestamptz[]) as p (id, due) group by p.id
  ), started as (
    update webhook_endpoints e set drain_at = due.due from due
    where e.id = due.id and (e.status = 'active' or e.deleted_at is not null)
      and (e.drain_at is null or e.drain_at > due.latest)
    returning e.organization_id, e.id
  )
  insert into facts (organization_id, id, type, is_event, payload)
  select organization_id, $3 || lpad(row_number() over ()::text, 6, '0'), 'endpoint.changed', false,
    json_build_object('endpointId', id)::text
  from started
  returning id`;

/** Answers how many commands were recorded. */
export async function startDrains(sql: Sql, parked: readonly Parked[]): Promise<number> {
  if (parked.length === 0) return 0;
  const params = [
    parked.map(({ endpointId }) => endpointId),
    parked.map(({ due }) => due),
    `${newId('fct')}-`,
  ];
  return (await sql.rows(START_DRAINS, params, 'start-drains')).length;
}

/**
 * Endpoints that a look at business state finds: a backlog without anybody to drain it, or to hold it when
 * a pause came between, and what was put into the lane for an endpoint that was paused or deleted at that
 * moment.
 */
const STRAYS = `
  with recursive backlogs as (
    (select organization_id, endpoint_id from webhook_deliveries where in_backlog order by 1, 2 limit 1)
    union all
    select n.organization_id, n.endpoint_id from backlogs b, lateral (
      select organization_id, endpoint_id from webhook_deliveries
      where in_backlog and (organization_id, endpoint_id) > (b.organization_id, b.endpoint_id)
      order by 1, 2 limit 1) n
  )
  select e.id as "endpointId" from backlogs b join webhook_endpoints e on e.organization_id = b.organization_id and e.id = b.endpoint_id
  where e.drain_at is null and (e.deleted_at is not null or exists (
    select from webhook_deliveries d where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.in_backlog
      and d.status in ('pending', 'retrying')))
  union
  select e.id from (
    select distinct organization_id, endpoint_id from webhook_deliveries
    where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog and lease_until < now() - interval '20 seconds'
  ) late join webhook_endpoints e on e.organization_id = late.organization_id and e.id = late.endpoint_id
  where e.drain_at is null and (e.deleted_at is not null or e.status = 'paused')`;

/** What nobody was told about: a crash came between a delivery and its command. Answers how many were started. */
export async function startStrays(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ endpointId: string }>(STRAYS, [], 'stray-backlogs');
  if (rows.length === 0) return 0;
  const params = [rows.map((row) => row.endpointId), `${newId('fct')}-`];
  const started = await sql.rows(START_STRAYS, params, 'start-strays');
  return started.length;
}

const START_STRAYS = `
  with started as (
    update webhook_endpoints e set drain_at = now() where e.id = any($1) and e.drain_at is null returning e.organization_id, e.id
  )
  insert into facts (organization_id, id, type, is_event, payload)
  select organization_id, $2 || lpad(row_number() over ()::text, 6, '0'), 'endpoint.changed', false,
    json_build_object('endpointId', id)::text
  from started
  returning id`;

/** Looks at backlogs whose time has come and gone: their workflow was lost, or waits for a worker. */
const OVERDUE_DRAINS = `
  select organization_id as "organizationId", id as "endpointId" from webhook_endpoints
  where drain_at < now() - $1::int * interval '1 millisecond' and id > $2
  order by id limit $3`;

/** @param after the last id of the page before, or '' */
export const overdueDrains = (
  sql: Sql,
  byMs: number,
  after: string,
  limit: number,
): Promise<{ organizationId: string; endpointId: string }[]> =>
  sql.rows(OVERDUE_DRAINS, [byMs, after, limit], 'overdue-drains');

/** Retries whose time has come and gone: their workflow was lost, or waits for a worker. */
const OVERDUE = `
  select organization_id as "organizationId", id as "deliveryId", endpoint_id as "endpointId", event_id as "eventId"
  from webhook_deliveries
  where owned_by_workflow and finished_at is null and status in ('pending', 'retrying')
    and next_attempt_at < now() - $1::int * interval '1 millisecond' and id > $2
  order by id limit $3`;

export interface RetryIds {
  readonly organizationId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

/** @param after the last id of the page before, or '' */
export const overdueRetries = (
  sql: Sql,
  byMs: number,
  after: string,
  limit: number,
): Promise<RetryIds[]> => sql.rows<RetryIds>(OVERDUE, [byMs, after, limit], 'overdue-retries');

/** Of what a process has in memory, the endpoints that were changed since: paused, deleted, moved, rotated. */
const CHANGED = `
  select e.id from unnest($1::text[], $2::int[]) as known (id, revision)
  join webhook_endpoints e on e.id = known.id
  where e.revision <> known.revision or e.deleted_at is not null or e.status = 'paused'`;

export async function changedEndpoints(
  sql: Sql,
  known: ReadonlyMap<string, number>,
): Promise<string[]> {
  if (known.size === 0) return [];
  const params = [[...known.keys()], [...known.values()]];
  const rows = await sql.rows<{ id: string }>(CHANGED, params, 'changed-endpoints');
  return rows.map((row) => row.id);
}

/** What dead processes had taken is due at once, whatever its lease says. */
const BURY = `
  update webhook_deliveries set lease_token = null, lease_until = now()
  where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog
    and lease_token is not null and lease_token = any($1)`;

export const releaseOf = async (sql: Sql, tokens: readonly string[]): Promise<void> => {
  await sql.rows(BURY, [tokens], 'release-of-the-dead');
};

const HOLDERS = `
  select distinct lease_token as token from webhook_deliveries
  where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog
    and lease_until > now() and lease_token is not null
  union
  select distinct lease_token from facts where lease_token is not null`;

/** The processes that have deliveries or commands in hand. */
export async function leaseHolders(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ token: string }>(HOLDERS, [], 'lease-holders');
  return rows.map((row) => row.token);
}
