import type { Sql } from '../../../db/sql.ts';
import { idDay } from '../../../ids.ts';
import { type DeliveryStatus, FAILING_AFTER } from '../../rules.ts';
import type { Sendable } from '../../signing/sender.ts';

/** A statement about one delivery, `$1` its id. */
type About<Row> = (sql: Sql, deliveryId: string, ...params: readonly unknown[]) => Promise<Row[]>;

/**
 * The day is written into the text, so that only one partition is opened and planned for: planning for all of them
 * takes ten times as long as the execution. It is derived from the id, which only we make.
 */
const about =
  <Row>(name: string, text: (place: string, day: string) => string): About<Row> =>
  (sql, deliveryId, ...params) => {
    const day = idDay(deliveryId);
    const statement = text(`d.day = '${day}' and d.id = $1`, `'${day}'`);
    return sql.rows(statement, [deliveryId, ...params], `${name}-${day}`);
  };

export interface DeliveryRow extends Sendable {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly code: number | null;
  readonly error: string | null;
  readonly owned: boolean;
  readonly paused: boolean;
  readonly pausedAt: Date | null;
  readonly deleted: boolean;
  readonly failing: boolean;
  /** An attempt that another run of the activity began may still be recorded. */
  readonly leased: boolean;
}

/** Everything that decides about its next attempt; locked, so that only one attempt claims it. */
export const lockDelivery = about<DeliveryRow>(
  'lock-delivery',
  (place) => `
  select d.organization_id as "organizationId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.status,
    d.attempts, d.round_attempts as "roundAttempts", d.first_attempt_at as "firstAttemptAt",
    d.next_attempt_at as "nextAttemptAt", d.code, d.error, d.owned_by_workflow as owned, e.status = 'paused' as paused,
    e.paused_at as "pausedAt", e.deleted_at is not null as deleted,
    e.failures_in_row >= ${FAILING_AFTER} as failing,
    d.lease_token is not null and d.lease_until > now() as leased,
    e.url, e.secret, e.previous_secret as "previousSecret", e.previous_valid_until as "previousValidUntil",
    e.secret_version as "secretVersion", v.body
  from webhook_deliveries d
  join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
  join events v on v.day = d.day and v.id = d.event_id
  where ${place}
  for update of d`,
);

export const claimDelivery = about(
  'claim-delivery',
  (place) => `
  update webhook_deliveries d set lease_token = $2, lease_until = now() + interval '15 seconds'
  where ${place}`,
);

/** `$2` how, `$3` the error, `$4` when. Returns its type, or nothing if it had ended. */
export const endDelivery = about<{ readonly type: string }>(
  'end-delivery',
  (place) => `
  update webhook_deliveries d
  set status = $2, error = $3, next_attempt_at = null, finished_at = $4, in_backlog = false, lease_token = null, lease_until = null
  where ${place} and d.finished_at is null
  returning d.type`,
);

/** Guarded by the token `$2`: an attempt given up meanwhile changes nothing, and returns nothing. */
export const recordAttempt = about(
  'record-attempt',
  (place, day) => `
  with recorded as (
    update webhook_deliveries d
    set status = $3,
      attempts = d.attempts + 1, round_attempts = d.round_attempts + 1, first_attempt_at = coalesce(d.first_attempt_at, $4),
      next_attempt_at = $5, finished_at = $6, code = $7, duration_ms = $8, response = $9, error = $10,
      lease_token = null, lease_until = null
    where ${place} and d.lease_token = $2 and d.finished_at is null
    returning d.organization_id, d.endpoint_id, d.attempts
  ), tried as (
    insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
    select ${day}, organization_id, $1, attempts, $4, $7, $8, $9, $10 from recorded
  ), streak as (
    update webhook_endpoints e
    set failures_in_row = case when $3 = 'succeeded' then 0 else e.failures_in_row + 1 end
    from recorded r where e.organization_id = r.organization_id and e.id = r.endpoint_id
      and ($3 in ('retrying', 'failed') or $3 = 'succeeded' and e.failures_in_row > 0)
  )
  select from recorded`,
);

/** Not attempted because of trouble on our side: due again at `$3`. Guarded by the token `$2`. */
export const postponeDelivery = about(
  'postpone-delivery',
  (place) => `
  update webhook_deliveries d
  set next_attempt_at = case when d.status = 'retrying' then $3::timestamptz end, lease_token = null, lease_until = null
  where ${place} and d.lease_token = $2`,
);

/** Held in the backlog of its paused endpoint since `$2`: its 24 hours stand still. */
export const holdDelivery = about(
  'hold-delivery',
  (place) => `
  update webhook_deliveries d
  set status = 'held', in_backlog = true, held_at = greatest($2::timestamptz, d.first_attempt_at), owned_by_workflow = false, next_attempt_at = null,
    lease_token = null, lease_until = d.created_at
  where ${place} and d.finished_at is null`,
);

/**
 * A failing endpoint keeps `$2` workflows; its other retries wait in its backlog, so that one workflow represents it
 * rather than two hundred. So do those of one that has many attempts under way (`$3`). Nothing is handed over for an
 * endpoint that was paused meanwhile: its drain may be over, and only the workflow, which was woken, holds the delivery
 * as of the pause. An attempt whose lease was over records nothing any more.
 */
export const handOverDelivery = about<{ readonly due: Date }>(
  'hand-over',
  (place) => `
  update webhook_deliveries d
  set owned_by_workflow = false, in_backlog = true, lease_token = null, lease_until = d.next_attempt_at
  from webhook_endpoints e
  where ${place} and d.status = 'retrying' and d.owned_by_workflow
    and e.organization_id = d.organization_id and e.id = d.endpoint_id and (e.failures_in_row >= ${FAILING_AFTER} or $3::bool)
    and e.status = 'active' and (select count(*) from (
      select from webhook_deliveries o where o.organization_id = d.organization_id and o.endpoint_id = d.endpoint_id
        and o.owned_by_workflow and o.finished_at is null limit $2 + 1) others) > $2
  returning d.next_attempt_at as due`,
);
