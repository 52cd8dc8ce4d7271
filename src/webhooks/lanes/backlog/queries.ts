import { WINDOW_MS } from '../../rules.ts';
import { IN_LANE, OWNED } from '../rows.ts';

/** SQL of the backlog, within one workspace: `$1` is the workspace, `$2` the endpoint. */

const OF_ENDPOINT = 'd.organization_id = $1 and d.endpoint_id = $2';
/** The statuses of deliveries without an attempt in this round, except those stopped by a pause. */
const FRESH = ['held', 'pending'] as const;
type Fresh = (typeof FRESH)[number];
/**
 * The statuses of deliveries that may have had attempts. Queried one at a time, because a query for both would scan
 * the index past everything held.
 */
const BEGUN = ['pending', 'retrying'] as const;
/** What an operator holds is released only by a resume. */
const unlessHeldBack = (status: Fresh, heldBack: string): string =>
  status === 'held' ? ` and not ${heldBack}::boolean` : '';
const WINDOW = `interval '${WINDOW_MS} milliseconds'`;

export const LOCK_ENDPOINT = `
  select status, deleted_at is not null as deleted, paused_at as "pausedAt", failures_in_row as "failuresInRow",
    resend_before as "resendBefore", backlog_held_at is not null as "heldBack"
  from webhook_endpoints where organization_id = $1 and id = $2 for no key update`;

export const RESENT_ALL = `
  update webhook_endpoints set resend_before = null where organization_id = $1 and id = $2`;

export const SET_DRAIN_AT = `
  update webhook_endpoints set drain_at = $3 where organization_id = $1 and id = $2 and drain_at is distinct from $3`;

const inLane = (aheadMs: string): string => `
  (select count(*)::int from (
    select from webhook_deliveries d where ${OF_ENDPOINT} and ${IN_LANE} and (d.lease_token is not null
      or d.lease_until <= now() + ${aheadMs}::int * interval '1 millisecond') limit $3) counted)`;

/**
 * How many of the endpoint's deliveries are in the lane of attempts, counted up to `$3`: due within `$4` and `$5`
 * milliseconds, and now.
 */
export const COUNT_IN_LANE = `
  select ${inLane('$4')} as ahead, ${inLane('$5')} as soon, ${inLane('0')} as now`;

/** One branch per status, because the index has the status before the time. */
const oldest = (status: string, limit: string, due: string): string => `
  (select d.day, d.id, d.lease_until from webhook_deliveries d
   where ${OF_ENDPOINT} and d.in_backlog and d.status = '${status}'${due}
   order by d.lease_until, d.id limit ${limit})`;

/**
 * Oldest first. Held deliveries get back the time for which they were held; those without time left end without a
 * late attempt. Those due soon wait for their time in the lane. `$3` now, `$4` how many, `$5` how many of those may
 * be without an attempt, `$6` how many milliseconds ahead of their time, `$7` whether held ones stay. Returns for
 * each whether it is due in the lane within `$8` milliseconds.
 */
export const RELEASE = `
  with fresh as materialized (
    select * from (${FRESH.map((status) => oldest(status, '$5', ` and d.lease_until <= $3${unlessHeldBack(status, '$7')}`)).join(' union all ')}) waiting
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
  returning d.finished_at is null and d.lease_until <= now() + $8::int * interval '1 millisecond' as soon`;

const earliest = (status: string, but = ''): string => `
  (select d.lease_until from webhook_deliveries d
   where ${OF_ENDPOINT} and d.in_backlog and d.status = '${status}'${but} order by d.lease_until, d.id limit 1)`;

/** When the earliest waiting deliveries may be released, null if there are none; `$3` whether held ones stay. */
export const NEXT_DUE = `
  select least(${FRESH.map((status) => earliest(status, unlessHeldBack(status, '$3'))).join(', ')}) as fresh, ${earliest('retrying')} as retry`;

/**
 * Marks as held since `$3` what waits in the backlog, and with `$5` also in the lane, unless a process has taken it;
 * `$4` how many. Oldest first by event, to the millisecond, which is the order of the ids.
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
  set status = 'held', in_backlog = true, held_at = greatest($3::timestamptz, d.first_attempt_at), next_attempt_at = null,
    lease_token = null, lease_until = d.created_at
  where d.day = any(array(select day from chunk)) and d.id = any(array(select id from chunk)) and d.finished_at is null
    and (d.in_backlog or d.lease_token is null or d.lease_until <= now())
  returning 1`;

const begun = (lane: string, since: string, limit: string): string =>
  BEGUN.map(
    (status) => `
  (select d.day, d.id from webhook_deliveries d
   where ${OF_ENDPOINT} and ${lane} and d.status = '${status}' and d.first_attempt_at < ${since} limit ${limit})`,
  ).join(' union all ');

/**
 * For a pause from `$3` to `$4` that no drain carried out: deliveries get back what they waited of it and keep their
 * schedule, also those whose first attempt began while the pause was not yet known. Of a backlog with `$5` of them or
 * more none does, because the drain, which holds that, could not tell them apart any more. Returns whether that is so.
 */
export const GIVE_BACK = `
  with waiting as materialized (
    select day, id from (${begun('d.in_backlog', '$4', '$5')}) due limit $5
  ), few as materialized (
    ${[IN_LANE, OWNED].map((lane) => begun(lane, '$4', '$5')).join(' union all ')}
    union all select day, id from waiting where (select count(*) from waiting) < $5
  ), given as (
    update webhook_deliveries d
    set first_attempt_at = d.first_attempt_at + ($4::timestamptz - greatest($3::timestamptz, d.first_attempt_at))
    where d.day = any(array(select day from few)) and d.id = any(array(select id from few)) and d.finished_at is null
  )
  select count(*) >= $5 as "isMore" from waiting`;

/**
 * For a backlog of more than a resume changes by itself: what waits is marked as held since `$3`, to be released again;
 * `$4` how many.
 */
export const HOLD_BEGUN_CHUNK = `
  with chunk as materialized (select day, id from (${begun('d.in_backlog', '$3', '$4')}) due limit $4)
  update webhook_deliveries d set status = 'held', held_at = $3, next_attempt_at = null, lease_until = d.created_at
  where d.day = any(array(select day from chunk)) and d.id = any(array(select id from chunk)) and d.in_backlog
  returning 1`;

/**
 * The backlog is not checked until it is resumed, except for new deliveries. Returns the endpoint's name, or nothing if
 * that was so already.
 */
export const HOLD_BACK = `
  update webhook_endpoints set backlog_held_at = $3, drain_at = null
  where organization_id = $1 and id = $2 and (backlog_held_at is null or drain_at is not null)
  returning name`;

export const ALL_HELD = `
  update webhook_endpoints set paused_at = null where organization_id = $1 and id = $2`;

/** A process that has taken one is stopped by its missing lease. */
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
