import { OWNED } from '../lanes/rows.ts';

/** SQL for resending, within one workspace: `$1` is the workspace. */

/**
 * Gives a delivery a new budget of attempts and hours; the last attempt's result stays visible until the next one. It
 * is held if `paused`, put into the backlog if `parked`, otherwise due in the lane at once.
 */
const newBudget = (paused: string, parked: string, now: string): string => `
  round = d.round + 1, round_attempts = 0, first_attempt_at = null, next_attempt_at = null, finished_at = null,
  status = case when ${paused} then 'held' else 'pending' end, in_backlog = ${parked},
  held_at = case when ${paused} then ${now} end, owned_by_workflow = false, lease_token = null,
  lease_until = case when ${parked} then d.created_at else now() end, resent_at = ${now}`;

export const RESEND_ONE = `
  update webhook_deliveries d set ${newBudget('$3::boolean', '$3::boolean', '$4::timestamptz')}
  where d.organization_id = $1 and d.day = wms.id_day($2) and d.id = $2`;

/**
 * `$2` the endpoint, `$3` the time before which deliveries are resent, `$4` milliseconds within which a repeated
 * request is ignored.
 */
const FAILING = `
  d.organization_id = $1 and d.endpoint_id = $2 and d.status in ('failed', 'blocked', 'retrying')
    and (d.lease_token is null or d.lease_until <= now())
    and (d.resent_at is null or d.resent_at <= $3::timestamptz - $4::int * interval '1 millisecond')
    and (d.first_attempt_at is null or d.first_attempt_at <= $3)`;

export const COUNT_FAILING = `select count(*)::int as n from webhook_deliveries d where ${FAILING}`;

/** Oldest first; `$5` how many, `$6` whether into the backlog. */
export const RESEND_CHUNK = `
  with failing as materialized (
    select d.day, d.id, d.event_id, ${OWNED} as owned
    from webhook_deliveries d where ${FAILING} order by d.id limit $5 for update skip locked
  ), again as (
    update webhook_deliveries d set ${newBudget("(e.status = 'paused')", "(e.status = 'paused' or $6::boolean)", '$3::timestamptz')}
    from webhook_endpoints e
    where d.day = any(array(select day from failing)) and d.id = any(array(select id from failing))
      and e.organization_id = d.organization_id and e.id = d.endpoint_id
  )
  select id as "deliveryId", event_id as "eventId", owned from failing`;
