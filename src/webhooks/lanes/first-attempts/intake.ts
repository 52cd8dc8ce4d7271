import type { Sql } from '../../../db/sql.ts';
import type { Traceparent } from '../../../tracing/spans.ts';
import { FAILING_AFTER } from '../../rules.ts';
import type { Sendable } from '../../signing/sender.ts';
import { deliveryId, IN_LANE, SOON_ON_DISK } from '../rows.ts';

/** A delivery that this process has leased, with everything an attempt needs. */
export interface DueAttempt extends Sendable {
  readonly id: string;
  /** `YYYY-MM-DD`: its partition. */
  readonly day: string;
  readonly failuresInRow: number;
  /** The endpoint's revision when it was taken. */
  readonly revision: number;
  /** Attempts made in this round, and when the first of them began. */
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  /** The trace of the work that the event is about. */
  readonly trace: Traceparent;
}

/** Who takes deliveries, and from which endpoints it wants none at the moment. */
export interface Taker {
  readonly token: string;
  readonly full: readonly string[];
  /** Endpoints that answer slowly. If one of them is also full, its new deliveries go to its backlog. */
  readonly slow?: readonly string[];
  /** Failing endpoints that had their probes for now: their new deliveries go to their backlogs. */
  readonly resting?: readonly string[];
  /** The workspace that had the last turn; starts with the first one by default. */
  readonly after?: string;
}

/** How many facts are taken from a workspace before it is the next one's turn. */
const TURN = 200;

/** The most that one claim takes for an endpoint, and for a slow one. */
const TAKEN_AT_ONCE = { healthy: 256, slow: 16 };

/**
 * Longer than the longest attempt and the wait before it. A process that dies is noticed sooner by its missing
 * presence; this is for one that hangs.
 */
export const LEASE_MS = 30_000;

const LEASE = `now() + interval '${LEASE_MS} milliseconds'`;

const ENDPOINT = `e.url, e.secret, e.previous_secret as "previousSecret", e.previous_valid_until as "previousValidUntil",
  e.secret_version as "secretVersion", e.failures_in_row as "failuresInRow", e.revision`;

/**
 * The whole way from facts to deliveries in one statement: facts taken from the queue become an event if any endpoint
 * subscribes, and a delivery for each endpoint that does. A delivery's id is derived from its event and endpoint and
 * contains the event's time, so it is in the same partition. Workspaces take turns, each with its oldest facts, so
 * that one workspace's storm does not delay the few events of others. A delivery gets no lease if this process has
 * taken enough for the endpoint; it goes into the endpoint's backlog if the endpoint is paused (then held), or if it
 * fails or is slow and has had enough.
 */
const FAN_OUT = `
  with recursive owners as (
    (select organization_id from facts where is_event and dead_at is null and organization_id > $6
     order by organization_id limit 1)
    union all
    select (select f.organization_id from facts f
      where f.is_event and f.dead_at is null and f.organization_id > o.organization_id
      order by f.organization_id limit 1)
    from owners o where o.organization_id is not null
  ), taken as (
    delete from facts where id = any(array(
      select due.id from owners o cross join lateral (
        select f.id from facts f
        where f.organization_id = o.organization_id and f.is_event and f.dead_at is null and ($4::text[] is null or f.id = any($4))
        order by f.id limit ${TURN} for update skip locked) due
      limit $1))
    returning organization_id, id, type, payload, created_at, trace
  ), targets as (
    select wms.id_day(t.id) as day, t.organization_id, t.id as event_id, t.type, t.payload, t.created_at, t.trace, e.id as endpoint_id,
      ${deliveryId('t.id', 'e.id')} as id, e.status = 'paused' as paused,
      e.status = 'paused' or e.failures_in_row >= ${FAILING_AFTER} and (e.id = any($3) or e.id = any($7))
        or e.id = any($3) and e.id = any($5) as parked,
      e.status = 'active' and (e.failures_in_row < ${FAILING_AFTER} or e.id <> all($7)) and e.id <> all($3) as wanted, ${ENDPOINT}
    from taken t
    join webhook_endpoints e on e.organization_id = t.organization_id and e.deleted_at is null and t.type = any(e.events)
      and (e.member_id is null or wms.member_sees(t.organization_id, e.member_id, t.payload::text))
  ), kept as (
    insert into events (day, organization_id, id, type, body, created_at, trace)
    select distinct on (event_id) day, organization_id, event_id, type, payload, created_at, trace from targets
    on conflict do nothing
  ), made as (
    insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, created_at, in_backlog, held_at,
      lease_token, lease_until)
    select day, organization_id, id, endpoint_id, event_id, type, case when paused then 'held' else 'pending' end, now(), parked,
      case when paused then now() end, case when wanted then $2 end, case when wanted then ${LEASE} else now() end
    from targets
    on conflict do nothing
    returning 1
  ), count as (
    select (select count(*)::int from taken) as taken, (select count(*)::int from targets) as wished, (select count(*)::int from made) as made,
      (select array_agg(distinct endpoint_id) from targets where parked and not paused) as parked,
      (select max(organization_id) from taken) as last,
      exists (select from taken group by organization_id having count(*) >= ${TURN}) as more
  )
  select c.taken, c.wished, c.made, c.parked, c.last, c.more, t.day, t.id, t.organization_id as "organizationId", t.endpoint_id as "endpointId",
    t.event_id as "eventId", t.payload as body, t.trace, t.url, t.secret, t."previousSecret", t."previousValidUntil",
    t."secretVersion", t."failuresInRow", t.revision, 0 as "roundAttempts", null::timestamptz as "firstAttemptAt", ${SOON_ON_DISK}
  from count c left join targets t on t.wanted`;

/** The result of one turn. */
export interface FannedOut {
  readonly facts: number;
  readonly deliveries: number;
  readonly claimed: readonly DueAttempt[];
  /** Endpoints whose backlog got something. */
  readonly parked: readonly string[];
  /** Where the next turn begins if there is more to take now, otherwise null. */
  readonly next: string | null;
}

type FanOutRow = DueAttempt & {
  readonly taken: number;
  readonly wished: number;
  readonly made: number;
  readonly parked: readonly string[] | null;
  readonly last: string | null;
  readonly more: boolean;
};

/**
 * @param only restricts it to these facts
 */
export async function fanOut(
  sql: Sql,
  { token, full, slow = [], resting = [], after = '' }: Taker,
  limit: number,
  only: readonly string[] | null = null,
): Promise<FannedOut> {
  const params = [limit, token, full, only, slow, after, resting];
  const rows = await sql.rows<FanOutRow>(FAN_OUT, params, 'fan-out');
  const { taken = 0, wished = 0, made = 0, parked = null, last = null, more } = rows[0] ?? {};
  const claimed = rows.filter((row) => row.id !== null);
  // The same event came twice: what the first one created keeps its owner and its state.
  const ours = made < wished ? await leased(sql, token, claimed) : claimed;
  // A full batch ended in the middle of the round; one that began there has not seen the first ones.
  const again = more || after !== '' ? '' : null;
  const next = taken === limit ? last : again;
  return { facts: taken, deliveries: made, claimed: ours, parked: parked ?? [], next };
}

async function leased(
  sql: Sql,
  token: string,
  attempts: readonly DueAttempt[],
): Promise<DueAttempt[]> {
  const rows = await sql.rows<{ id: string }>(
    `select id from webhook_deliveries
     where day = any($1::date[]) and id = any($2::text[]) and lease_token = $3 and status = 'pending' and attempts = 0`,
    [
      [...new Set(attempts.map((attempt) => attempt.day))],
      attempts.map((attempt) => attempt.id),
      token,
    ],
  );
  const ids = new Set(rows.map((row) => row.id));
  return attempts.filter((attempt) => ids.has(attempt.id));
}

/**
 * Deliveries due in the lane that no process has taken: released from a backlog, resent, left behind by a dead
 * process, or not taken before. Those of an endpoint that has been paused or deleted since are left for its drain.
 * For one endpoint, no more than a process can keep.
 */
const CLAIM = `
  with near as materialized (
    select d.day, d.id, d.endpoint_id, d.lease_until from webhook_deliveries d
    where ${IN_LANE} and d.lease_until <= now()
      and d.endpoint_id <> all($2)
      and exists (select from webhook_endpoints e where e.id = d.endpoint_id and e.status = 'active' and e.deleted_at is null)
    order by d.lease_until limit $3
    for update of d skip locked
  ), due as materialized (
    select day, id from (
      select day, id, endpoint_id, row_number() over (partition by endpoint_id order by lease_until) as nth from near) n
    where nth <= case when endpoint_id = any($4) then ${TAKEN_AT_ONCE.slow} else ${TAKEN_AT_ONCE.healthy} end
  ), claimed as (
    update webhook_deliveries d set lease_token = $1, lease_until = ${LEASE}
    where d.id = any(array(select id from due)) and d.day = any(array(select day from due))
      and d.status in ('pending', 'retrying') and d.lease_until <= now()
    returning d.day, d.id, d.organization_id, d.endpoint_id, d.event_id, d.round_attempts, d.first_attempt_at
  )
  select c.day, c.id, c.organization_id as "organizationId", c.endpoint_id as "endpointId", c.event_id as "eventId",
    c.round_attempts as "roundAttempts", c.first_attempt_at as "firstAttemptAt", v.body, v.trace, ${ENDPOINT}, ${SOON_ON_DISK}
  from claimed c
  join webhook_endpoints e on e.organization_id = c.organization_id and e.id = c.endpoint_id
  join events v on v.day = c.day and v.id = c.event_id`;

/**
 * @param limit how many are examined; if any was taken, more may be due
 */
export const claimDue = (
  sql: Sql,
  { token, full, slow = [] }: Taker,
  limit: number,
): Promise<DueAttempt[]> => sql.rows<DueAttempt>(CLAIM, [token, full, limit, slow], 'claim-due');
