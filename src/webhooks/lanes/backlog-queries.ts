import { IN_LANE, OWNED } from './rows.ts';

/** SQL of the backlog, inside one workspace: `$1` is the workspace, `$2` the endpoint. */

const OF_ENDPOINT = 'd.organization_id = $1 and d.endpoint_id = $2';
/** What no attempt was made of in this round, but for those that a pause stopped. */
const FRESH = ['held', 'pending'] as const;
/** Longer than this after its first attempt a delivery is attempted no more (specification, Receiving rules). */
const WINDOW = `interval '24 hours'`;

export const LOCK_ENDPOINT = `
  select status, deleted_at is not null as deleted, paused_at as "pausedAt", failures_in_row as "failuresInRow",
    resend_before as "resendBefore"
  from webhook_endpoints where organization_id = $1 and id = $2 for no key update`;

export const RESENT_ALL = `
  update webhook_endpoints set resend_before = null where organization_id = $1 and id = $2`;

export const SET_DRAIN_AT = `
  update webhook_endpoints set drain_at = $3 where organization_id = $1 and id = $2 and drain_at is distinct from $3`;

/** How many deliveries of the endpoint are in the lane of attempts, those due after `$4` apart, counted up to `$3`. */
export const COUNT_IN_LANE = `
  select count(*)::int as n from (
    select from webhook_deliveries d where ${OF_ENDPOINT} and ${IN_LANE} and (d.lease_token is not null
      or d.lease_until <= now() + $4::int * interval '1 millisecond') limit $3) counted`;

/** A branch for each status, for the index has the status before the time. */
const oldest = (status: string, limit: string, due: string): string => `
  (select d.day, d.id, d.lease_until from webhook_deliveries d
   where ${OF_ENDPOINT} and d.in_backlog and d.status = '${status}'${due}
   order by d.lease_until, d.id limit ${limit})`;

/**
 * Oldest first. What was held gets the time back that it was held for; what has no time left ends without
 * a late attempt. What is due soon waits for its time in the lane. `$3` now, `$4` how many, `$5` how many of those may
 * be fresh, `$6` so many milliseconds ahead of their time.
 */
export const RELEASE = `
  with fresh as materialized (
    select * from (${FRESH.map((status) => oldest(status, '$5', ' and d.lease_until <= $3')).join(' union all ')}) waiting
    order by lease_until, id limit $5
  ), due as materialized (
    select day, id from (select * from fresh union all ${oldest('retrying', '$4', ` and d.lease_until <= $3::timestamptz + $6::int * interval '1 millisecond'`)}) waiting
    order by lease_until, id limit $4
  )
  update webhook_deliveries d
  set in_backlog = false, held_at = null, lease_token = null,
    first_attempt_at = d.first_attempt_at + coalesce($3 - d.held_at, interval '0'),
    status = case when d.first_attempt_at + coalesce($3 - d.held_at, interval '0') < $3 - ${WINDOW} then 'failed'
      when d.status = 'held' then 'pending' else d.status end,
    error = case when d.first_attempt_at + coalesce($3 - d.held_at, interval '0') < $3 - ${WINDOW} then 'expired' else d.error end,
    finished_at = case when d.first_attempt_at + coalesce($3 - d.held_at, interval '0') < $3 - ${WINDOW} then $3 end,
    next_attempt_at = case when d.status = 'retrying' and d.first_attempt_at >= $3 - ${WINDOW} then d.next_attempt_at end,
    lease_until = case when d.status = 'retrying' then greatest(now(), now() + (d.lease_until - $3)) else now() end
  where d.day = any(array(select day from due)) and d.id = any(array(select id from due)) and d.in_backlog
  returning 1`;

const earliest = (status: string): string => `
  (select d.lease_until from webhook_deliveries d
   where ${OF_ENDPOINT} and d.in_backlog and d.status = '${status}' order by d.lease_until, d.id limit 1)`;

/** When the earliest of what waits may be released, each null when there is none. */
export const NEXT_DUE = `
  select least(${FRESH.map(earliest).join(', ')}) as fresh, ${earliest('retrying')} as retry`;

/**
 * What waits in the backlog, and with `$5` in the lane too unless a process has it in hand, is held since `$3`;
 * `$4` how many. Oldest first means the order in which they happened, which is that of their ids.
 */
export const HOLD_CHUNK = `
  with chunk as materialized (
    select day, id from (
      (select d.day, d.id from webhook_deliveries d
       where ${OF_ENDPOINT} and ${IN_LANE} and $5 and (d.lease_token is null or d.lease_until <= now()) limit $4)
      union all
      (select d.day, d.id from webhook_deliveries d
       where ${OF_ENDPOINT} and d.in_backlog and d.status = 'pending' limit $4)
      union all
      (select d.day, d.id from webhook_deliveries d
       where ${OF_ENDPOINT} and d.in_backlog and d.status = 'retrying' limit $4)
    ) waiting limit $4
  )
  update webhook_deliveries d
  set status = 'held', in_backlog = true, held_at = $3, next_attempt_at = null, lease_token = null, lease_until = d.created_at
  where d.day = any(array(select day from chunk)) and d.id = any(array(select id from chunk)) and d.finished_at is null
    and (d.in_backlog or d.lease_token is null or d.lease_until <= now())
  returning 1`;

/** Whoever has one in hand is fenced off by its missing lease. */
export const END_CHUNK = `
  with chunk as materialized (
    select day, id from (
      (select d.day, d.id from webhook_deliveries d where ${OF_ENDPOINT} and ${IN_LANE} limit $4)
      union all
      (select d.day, d.id from webhook_deliveries d where ${OF_ENDPOINT} and d.in_backlog limit $4)
      union all
      (select d.day, d.id from webhook_deliveries d
       where ${OF_ENDPOINT} and ${OWNED} limit $4)
    ) left_over limit $4
  )
  update webhook_deliveries d
  set status = 'failed', error = coalesce(d.error, 'expired'), next_attempt_at = null, finished_at = $3, in_backlog = false,
    lease_token = null, lease_until = null
  where d.day = any(array(select day from chunk)) and d.id = any(array(select id from chunk)) and d.finished_at is null
  returning 1`;
