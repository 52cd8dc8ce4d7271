import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../ids.ts';
import { IN_LANE } from '../rows.ts';

/** An endpoint whose backlog got a delivery that is due then; null means now. */
export interface Parked {
  readonly endpointId: string;
  readonly due: Date | null;
}

/**
 * How much later than possible a backlog's next check may come, unless none is scheduled: a delivery without an
 * attempt waits for the next probes, a retry starts within a second of its time.
 */
const SOON_ENOUGH = `interval '6 seconds'`;
const ON_TIME = `interval '250 milliseconds'`;

/**
 * Starts the drains of the endpoints `e` that `wanted` reads, each with its `due`, the time of its next look; `prefix`
 * begins the ids of the facts. `locked` says what to do about those that somebody else has locked. Returns all that
 * `wanted` reads, and which were started.
 */
const starting = (wanted: string, prefix: string, locked: 'skip locked' | '' = ''): string => `
  with mine as materialized (${wanted} for no key update of e ${locked}),
  started as (
    update webhook_endpoints e set drain_at = m.due from mine m where e.id = m.id returning e.organization_id, e.id
  ), told as (
    insert into facts (organization_id, id, type, is_event, payload)
    select organization_id, ${prefix} || lpad(row_number() over ()::text, 6, '0'), 'endpoint.changed', false,
      json_build_object('endpointId', id)::text
    from started
  )
  select w.id as "endpointId", w.due, m.id is not null as started from (${wanted}) w left join mine m on m.id = w.id`;

interface Wanted extends Parked {
  readonly started: boolean;
}

/** Backlogs that will not be checked in time: `$1` the endpoints, `$2` what is due in them. */
const UNSEEN = `
  select e.id, p.due from (
    select id, min(coalesce(due, now())) as due, min(coalesce(due + ${ON_TIME}, now() + ${SOON_ENOUGH})) as latest
    from unnest($1::text[], $2::timestamptz[]) as parked (id, due) group by id
  ) p join webhook_endpoints e on e.id = p.id
  where (e.status = 'active' or e.deleted_at is not null) and (e.drain_at is null or e.drain_at > p.latest)`;

/**
 * Starts the drains of backlogs that will not be checked in time. Recorded once: this moves the endpoint's next
 * check, which later calls see. Waits for a check in progress, which may be about to end.
 */
const START_DRAINS = starting(UNSEEN, '$3');
const START_FREE_DRAINS = starting(UNSEEN, '$3', 'skip locked');

const paramsOf = (parked: readonly Parked[]): unknown[] => [
  parked.map(({ endpointId }) => endpointId),
  parked.map(({ due }) => due),
  `${newId('fct')}-`,
];

/** Returns how many commands were recorded. */
export async function startDrains(sql: Sql, parked: readonly Parked[]): Promise<number> {
  const rows = await sql.rows<Wanted>(START_DRAINS, paramsOf(parked), 'start-drains');
  return rows.filter(({ started }) => started).length;
}

export interface StartedDrains {
  readonly started: number;
  /** What is left of it, because somebody has locked the endpoint: to be tried again. */
  readonly left: readonly Parked[];
}

/** `startDrains` for many endpoints, none of which may wait for another one. */
export async function startFreeDrains(sql: Sql, parked: readonly Parked[]): Promise<StartedDrains> {
  if (parked.length === 0) return { started: 0, left: [] };
  const rows = await sql.rows<Wanted>(START_FREE_DRAINS, paramsOf(parked), 'start-free-drains');
  const locked = new Set(rows.filter(({ started }) => !started).map((row) => row.endpointId));
  // As they were wished for: what was to be seen soon is not due at a moment of the past now.
  const left = parked.filter(({ endpointId }) => locked.has(endpointId));
  return { started: rows.length - locked.size, left };
}

/** Looks follow each other within five seconds while anything is due, so that this is late. */
const LATE = `interval '20 seconds'`;
const NO_LOOK_SOON = `(e.drain_at is null or e.drain_at > now() + ${LATE})`;

/**
 * What waits for a look that is not scheduled, or for one so far off that it was made without knowing of this. One
 * status at a time, because a query for both would scan the index past everything held; with its order, because the
 * planner might otherwise take another index.
 */
const waits = (status: 'pending' | 'retrying' | 'held'): string => `
  (select d.lease_until from webhook_deliveries d
   where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.in_backlog and d.status = '${status}'
   order by d.lease_until, d.id limit 1) < case when e.drain_at is null then 'infinity' else now() - ${LATE} end`;

/**
 * Endpoints found by examining business state: a backlog that no one drains, or holds after a pause, or that got something
 * of which its drain was not told, and deliveries put into the lane for an endpoint that was paused or deleted at that
 * moment.
 */
export const STRAYS = `
  with recursive backlogs as (
    (select organization_id, endpoint_id from webhook_deliveries where in_backlog order by 1, 2 limit 1)
    union all
    select n.organization_id, n.endpoint_id from backlogs b, lateral (
      select organization_id, endpoint_id from webhook_deliveries
      where in_backlog and (organization_id, endpoint_id) > (b.organization_id, b.endpoint_id)
      order by 1, 2 limit 1) n
  )
  select e.id as "endpointId" from backlogs b join webhook_endpoints e on e.organization_id = b.organization_id and e.id = b.endpoint_id
  where ${NO_LOOK_SOON} and (e.deleted_at is not null or ${waits('pending')} or ${waits('retrying')}
    or e.status = 'active' and e.backlog_held_at is null and ${waits('held')})
  union
  select e.id from (
    select distinct d.organization_id, d.endpoint_id from webhook_deliveries d
    where ${IN_LANE} and d.lease_until < now() - ${LATE}
  ) late join webhook_endpoints e on e.organization_id = late.organization_id and e.id = late.endpoint_id
  where e.drain_at is null and (e.deleted_at is not null or e.status = 'paused')`;

/** One that somebody has locked is found again. */
const START_STRAYS = starting(
  `select e.id, now() as due from webhook_endpoints e where e.id = any($1) and ${NO_LOOK_SOON}`,
  '$2',
  'skip locked',
);

/** Starts drains that no one announced because of a crash between a delivery and its command. Returns how many. */
export async function startStrays(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ endpointId: string }>(STRAYS, [], 'stray-backlogs');
  if (rows.length === 0) return 0;
  const params = [rows.map((row) => row.endpointId), `${newId('fct')}-`];
  const wanted = await sql.rows<Wanted>(START_STRAYS, params, 'start-strays');
  return wanted.filter(({ started }) => started).length;
}

/** Backlogs whose check is overdue: their workflow was lost, or waits for a worker. */
const OVERDUE_DRAINS = `
  select organization_id as "organizationId", id as "endpointId" from webhook_endpoints
  where drain_at < now() - $1::int * interval '1 millisecond' and id > $2
  order by id limit $3`;

/**
 * @param after the last id of the previous page, or ''
 */
export const overdueDrains = (
  sql: Sql,
  byMs: number,
  after: string,
  limit: number,
): Promise<{ organizationId: string; endpointId: string }[]> =>
  sql.rows(OVERDUE_DRAINS, [byMs, after, limit], 'overdue-drains');
