import type { Sql } from '../../db/sql.ts';
import { FAILING_AFTER } from '../rules.ts';
import type { DeliveryIds } from './retries.ts';
import { OWNED } from './rows.ts';

/** One delivery with all that decides about its next attempt; locked, so that only one attempt claims it. */
export const LOCK_DELIVERY = `
  select d.organization_id as "organizationId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.status,
    d.attempts, d.round_attempts as "roundAttempts", d.first_attempt_at as "firstAttemptAt",
    d.next_attempt_at as "nextAttemptAt", d.code, d.error, d.owned_by_workflow as owned, e.status = 'paused' as paused,
    e.paused_at as "pausedAt", e.deleted_at is not null as deleted,
    e.failures_in_row >= ${FAILING_AFTER} as failing,
    e.url, e.secret, e.previous_secret as "previousSecret", e.previous_valid_until as "previousValidUntil",
    e.secret_version as "secretVersion", v.body
  from webhook_deliveries d
  join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
  join events v on v.day = d.day and v.id = d.event_id
  where d.day = $1 and d.id = $2
  for update of d`;

export const CLAIM_DELIVERY = `
  update webhook_deliveries set lease_token = $3, lease_until = now() + interval '15 seconds'
  where day = $1 and id = $2`;

export const END_DELIVERY = `
  update webhook_deliveries
  set status = $3, error = $4, next_attempt_at = null, finished_at = $5, in_backlog = false, lease_token = null, lease_until = null
  where day = $1 and id = $2 and finished_at is null`;

/** Fenced by the token: an attempt that was given up meanwhile changes nothing. */
export const RECORD_ATTEMPT = `
  with recorded as (
    update webhook_deliveries
    set status = $4,
      attempts = attempts + 1, round_attempts = round_attempts + 1, first_attempt_at = coalesce(first_attempt_at, $5),
      next_attempt_at = $6, finished_at = $7, code = $8, duration_ms = $9, response = $10, error = $11,
      lease_token = null, lease_until = null
    where day = $1 and id = $2 and lease_token = $3 and finished_at is null
    returning organization_id, endpoint_id, attempts
  ), tried as (
    insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
    select $1, organization_id, $2, attempts, $5, $8, $9, $10, $11 from recorded
  )
  update webhook_endpoints e
  set failures_in_row = case when $4 = 'succeeded' then 0 else e.failures_in_row + 1 end
  from recorded r where e.organization_id = r.organization_id and e.id = r.endpoint_id
    and ($4 in ('retrying', 'failed') or $4 = 'succeeded' and e.failures_in_row > 0)`;

/** Into the backlog of its paused endpoint: its 24 hours stand still. */
export const HOLD_DELIVERY = `
  update webhook_deliveries
  set status = 'held', in_backlog = true, held_at = $3, owned_by_workflow = false, next_attempt_at = null,
    lease_token = null, lease_until = created_at
  where day = $1 and id = $2 and finished_at is null`;

/**
 * A failing endpoint keeps `$3` workflows; what else waits for it waits in its backlog, so that one run
 * stands for it and not two hundred. Of one that was paused meanwhile nothing is handed over: its drain may
 * be over, and only the workflow, which was woken, holds the delivery as of the pause.
 */
export const HAND_OVER = `
  update webhook_deliveries d
  set owned_by_workflow = false, in_backlog = true, lease_until = d.next_attempt_at
  from webhook_endpoints e
  where d.day = $1 and d.id = $2 and d.status = 'retrying' and d.owned_by_workflow
    and e.organization_id = d.organization_id and e.id = d.endpoint_id and e.failures_in_row >= ${FAILING_AFTER}
    and e.status = 'active' and (select count(*) from (
      select from webhook_deliveries o where o.organization_id = d.organization_id and o.endpoint_id = d.endpoint_id
        and o.owned_by_workflow and o.finished_at is null limit $3 + 1) others) > $3
  returning d.next_attempt_at as due`;

/** Retries whose time has come and gone: their workflow was lost, or waits for a worker. */
const OVERDUE = `
  select d.organization_id as "organizationId", d.id as "deliveryId", d.endpoint_id as "endpointId", d.event_id as "eventId"
  from webhook_deliveries d
  where ${OWNED} and d.status in ('pending', 'retrying')
    and d.next_attempt_at < now() - $1::int * interval '1 millisecond' and d.id > $2
  order by d.id limit $3`;

/** @param after the last id of the page before, or '' */
export const overdueRetries = (
  sql: Sql,
  byMs: number,
  after: string,
  limit: number,
): Promise<DeliveryIds[]> =>
  sql.rows<DeliveryIds>(OVERDUE, [byMs, after, limit], 'overdue-retries');
