import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { FAILING_AFTER, MAX_OPEN_RETRIES } from './rules.ts';

const FULL = `
  select endpoint_id as id from webhook_deliveries
  where owned_by_workflow and finished_at is null
  group by endpoint_id having count(*) >= ${MAX_OPEN_RETRIES}`;

/**
 * Deliveries that wait for a workflow of their own: failed ones beyond the bound, and all new ones of
 * an endpoint that keeps failing. Each that finds a free slot gets the command that starts it.
 */
const GIVE_SLOTS = `
  with waiting as (
    (select d.day, d.id, d.endpoint_id, d.next_attempt_at as due, true as failed from webhook_deliveries d
     where d.status = 'retrying' and not d.owned_by_workflow and d.endpoint_id <> all($1)
     order by d.next_attempt_at limit $2)
    union all
    (select d.day, d.id, d.endpoint_id, d.lease_until, false from webhook_deliveries d
     where d.status = 'pending' and not d.owned_by_workflow and d.lease_until <= now() and d.endpoint_id <> all($1)
       and d.endpoint_id = any(array(select id from webhook_endpoints where failures_in_row >= ${FAILING_AFTER}))
     order by d.lease_until limit $2)
  ), allowed as (
    select w.*, row_number() over (partition by w.endpoint_id order by w.due) as place,
      (select count(*) from webhook_deliveries o where o.organization_id = e.organization_id
        and o.endpoint_id = e.id and o.owned_by_workflow and o.finished_at is null) as open
    from waiting w join webhook_endpoints e on e.id = w.endpoint_id
    where e.deleted_at is null and e.status = 'active' and (w.failed or e.failures_in_row >= ${FAILING_AFTER})
  ), chosen as materialized (
    select day, id from allowed where place + open <= ${MAX_OPEN_RETRIES}
  ), given as (
    update webhook_deliveries d
    set owned_by_workflow = true, lease_token = null, lease_until = null, next_attempt_at = coalesce(d.next_attempt_at, now())
    where d.id = any(array(select id from chosen)) and d.day = any(array(select day from chosen))
      and not d.owned_by_workflow and (d.status = 'retrying' or d.status = 'pending' and d.lease_until <= now())
    returning d.organization_id, d.id, d.endpoint_id, d.event_id
  )
  insert into facts (organization_id, id, type, is_event, payload)
  select g.organization_id, $3 || lpad(row_number() over ()::text, 6, '0'), 'delivery.retrying', false,
    json_build_object('deliveryId', g.id, 'endpointId', g.endpoint_id, 'eventId', g.event_id)::text
  from given g
  returning id`;

const AT_ONCE = 1_000;

/**
 * One process at a time, so that the bound holds. Answers how many were started. `sql` is a
 * transaction's.
 */
export async function giveSlots(sql: Sql): Promise<number> {
  const [lock] = await sql.rows<{ mine: boolean }>(
    'select pg_try_advisory_xact_lock(7261004) as mine',
  );
  if (!lock?.mine) return 0;
  const full = await sql.rows<{ id: string }>(FULL, [], 'full-endpoints');
  const params = [full.map((row) => row.id), AT_ONCE, `${newId('fct')}-`];
  const given = await sql.rows(GIVE_SLOTS, params, 'give-slots');
  return given.length;
}

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

/** Of the endpoints asked about, those to which nothing may be sent at the moment. */
const SILENCED = `
  select id from webhook_endpoints where id = any($1) and (deleted_at is not null or status = 'paused')`;

export async function silencedEndpoints(sql: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await sql.rows<{ id: string }>(SILENCED, [ids], 'silenced-endpoints');
  return rows.map((row) => row.id);
}

/** What dead processes had taken is due at once, whatever its lease says. */
const BURY = `
  update webhook_deliveries set lease_token = null, lease_until = now()
  where status = 'pending' and not owned_by_workflow and lease_token is not null and lease_token = any($1)`;

export const releaseOf = async (sql: Sql, tokens: readonly string[]): Promise<void> => {
  await sql.rows(BURY, [tokens], 'release-of-the-dead');
};

const HOLDERS = `
  select distinct lease_token as token from webhook_deliveries
  where status = 'pending' and not owned_by_workflow and lease_until > now() and lease_token is not null
  union
  select distinct lease_token from facts where lease_token is not null`;

/** The processes that have deliveries or commands in hand. */
export async function leaseHolders(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ token: string }>(HOLDERS, [], 'lease-holders');
  return rows.map((row) => row.token);
}
