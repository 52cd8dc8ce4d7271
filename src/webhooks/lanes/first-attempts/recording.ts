import { chunksOf } from '../../../concurrency.ts';
import type { Sql } from '../../../db/sql.ts';
import { isAboutData } from '../../../db/sqlstates.ts';
import type { Traceparent } from '../../../tracing/spans.ts';
import type { DeliveryStatus } from '../../rules.ts';
import type { Parked } from '../backlog/drains.ts';
import { SOON_ON_DISK } from '../rows.ts';
import { capacitiesOf, placementOf } from './capacity.ts';

const LONGEST_SPREAD_MS = 15_000;
/** Rows per statement. Each is a transaction that locks them until it ends; others should wait 100 ms at most. */
const AT_ONCE = 100;

/** The outcome of one attempt, ready to be recorded. */
export interface Result {
  readonly id: string;
  readonly day: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly status: DeliveryStatus;
  readonly startedAt: Date;
  readonly code: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: Date | null;
  readonly trace: Traceparent;
}

/** How an endpoint's count of failures in a row changed: restarted from zero, or increased. */
export interface Streak {
  readonly endpointId: string;
  readonly reset: boolean;
  readonly failures: number;
}

/** A result's part of the single JSON parameter; `->` finds it by the delivery's id. */
const told = (field: string): string => `($3::jsonb -> d.id ->> '${field}')`;

/**
 * Many attempts of one day in one statement, guarded by the token, which an ended delivery no longer has. A failure
 * is recorded together with the command that starts its retries, so that a crash can lose neither; without a free
 * slot it waits for its time in the lane, or in the endpoint's backlog. There is no join, because the planner would
 * have to guess which side is small, and knows nothing about a partition that was empty a moment ago. The day is
 * written into the text, so that only one partition is opened.
 */
const record = (day: string): string => `
  with recorded as (
    update webhook_deliveries d
    set status = ${told('status')}, in_backlog = ${told('parked')}::bool,
      attempts = d.attempts + 1, round_attempts = d.round_attempts + 1,
      first_attempt_at = coalesce(d.first_attempt_at, ${told('startedAt')}::timestamptz),
      next_attempt_at = ${told('nextAttemptAt')}::timestamptz, finished_at = ${told('finishedAt')}::timestamptz,
      owned_by_workflow = ${told('slot')}::bool, code = ${told('code')}::int, duration_ms = ${told('durationMs')}::int,
      response = ${told('response')}, error = ${told('error')}, lease_token = null,
      lease_until = case when not ${told('slot')}::bool then ${told('nextAttemptAt')}::timestamptz end
    where d.day = '${day}' and d.id = any($2) and d.lease_token = $1
    returning d.organization_id, d.id, d.endpoint_id, d.event_id, d.attempts, d.round_attempts, d.next_attempt_at, d.owned_by_workflow, d.code, d.duration_ms,
      d.response, d.error, ${told('startedAt')}::timestamptz as started_at, ${told('factId')} as fact_id,
      ${told('startsInMs')}::int as starts_in_ms, ${told('trace')} as trace
  ), tried as (
    insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
    select '${day}', organization_id, id, attempts, started_at, code, duration_ms, response, error from recorded
  )
  insert into facts (organization_id, id, type, is_event, not_before, trace, payload)
  select organization_id, fact_id, 'delivery.retrying', false, now() + starts_in_ms * interval '1 millisecond', trace,
    json_build_object('deliveryId', id, 'endpointId', endpoint_id, 'eventId', event_id, 'dueAt', next_attempt_at, 'attempts', attempts,
      'roundAttempts', round_attempts)::text
  from recorded where owned_by_workflow
  returning 1 as started`;

/** How many retries got a workflow, and whose backlog got some. */
export interface Recorded {
  readonly started: number;
  readonly parked: readonly Parked[];
}

export const NOTHING_RECORDED: Recorded = { started: 0, parked: [] };

export const combined = (one: Recorded, more: Recorded): Recorded => ({
  started: one.started + more.started,
  parked: [...one.parked, ...more.parked],
});

/** Who records, and where. */
export interface RecordingContext {
  readonly sql: Sql;
  /** The process that made the attempts. */
  readonly token: string;
  /** Whether retries may wait for their time in the lane. */
  readonly laneWaits: boolean;
}

/**
 * Records the results of a day. A result that the database cannot store does not hold up the others: it is recorded
 * without the receiver's text, and logged.
 */
export async function recordOfDay(
  context: RecordingContext,
  day: string,
  results: readonly Result[],
  onRefused: OnRefused,
): Promise<Recorded> {
  let all = NOTHING_RECORDED;
  for (const some of chunksOf(AT_ONCE, results))
    all = combined(all, await recordAtOnce(context, day, some, onRefused));
  return all;
}

type OnRefused = (deliveryId: string, error: unknown) => void;

async function recordAtOnce(
  context: RecordingContext,
  day: string,
  results: readonly Result[],
  onRefused: OnRefused,
): Promise<Recorded> {
  try {
    return await recordResults(context, day, results);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    const [only, ...more] = results;
    if (only && more.length === 0) {
      onRefused(only.id, error);
      return recordResults(context, day, [{ ...only, response: null }]);
    }
    let all = NOTHING_RECORDED;
    for (const result of results)
      all = combined(all, await recordAtOnce(context, day, [result], onRefused));
    return all;
  }
}

async function recordResults(
  { sql, token, laneWaits }: RecordingContext,
  day: string,
  results: readonly Result[],
): Promise<Recorded> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new TypeError('not a day');
  const capacities = await capacitiesOf(sql, results, laneWaits);
  const placed = results.map((result) => ({ result, placement: placementOf(result, capacities) }));
  const startsInMs = laneWaits ? spreadStart : () => 0;
  const byId = Object.fromEntries(
    placed.map(({ result, placement }) => [
      result.id,
      { ...toldOf(result), ...placement, startsInMs: startsInMs(result) },
    ]),
  );
  const params = [token, Object.keys(byId), JSON.stringify(byId)];
  const rows = await sql.rows(record(day), params, `record-attempts-${day}`);
  const parked = placed
    .filter(({ placement }) => placement.parked)
    .map(({ result: { endpointId, nextAttemptAt } }) => ({ endpointId, due: nextAttemptAt }));
  return { started: rows.length, parked };
}

/**
 * A workflow begins with a sleep, so it need not start at once. When a hundred endpoints fail together, their
 * workflows start over several seconds, and the first attempts of others do not wait for the processor meanwhile.
 */
function spreadStart({ startedAt, durationMs, nextAttemptAt }: Result): number {
  const sleepMs = (nextAttemptAt?.getTime() ?? 0) - startedAt.getTime() - durationMs;
  return Math.floor(Math.random() * Math.max(0, Math.min(LONGEST_SPREAD_MS, sleepMs / 2)));
}

const toldOf = ({ startedAt, nextAttemptAt, ...result }: Result): Record<string, unknown> => ({
  status: result.status,
  startedAt,
  nextAttemptAt,
  finishedAt:
    result.status === 'retrying' ? null : new Date(startedAt.getTime() + result.durationMs),
  code: result.code,
  durationMs: result.durationMs,
  response: result.response,
  error: result.error,
  trace: result.trace,
});

/**
 * Endpoints are written only when something about them changed, and never while all is well. Those that somebody has
 * locked, perhaps for long, are left: nobody else's outcomes wait for one customer's row.
 */
const STREAKS = `
  with changed as materialized (
    select e.id, s.reset, s.failures from unnest($1::text[], $2::bool[], $3::int[]) as s (id, reset, failures)
    join webhook_endpoints e on e.id = s.id where not (s.reset and e.failures_in_row = s.failures)
  ), mine as materialized (
    select e.id from webhook_endpoints e where e.id = any(array(select id from changed)) for no key update skip locked
  ), counted as (
    update webhook_endpoints e set failures_in_row = case when c.reset then c.failures else e.failures_in_row + c.failures end
    from changed c where e.id = c.id and e.id in (select id from mine)
  )
  select c.id, m.id is null as left, ${SOON_ON_DISK} from changed c left join mine m on m.id = c.id`;

/**
 * Failures in a row: increased, or reset by a success.
 *
 * @returns those that are left, because somebody has locked the endpoint
 */
export async function recordStreaks(sql: Sql, streaks: readonly Streak[]): Promise<Streak[]> {
  if (streaks.length === 0) return [];
  const params = [
    streaks.map((s) => s.endpointId),
    streaks.map((s) => s.reset),
    streaks.map((s) => s.failures),
  ];
  const rows = await sql.rows<{ id: string; left: boolean }>(STREAKS, params, 'record-streaks');
  const left = new Set(rows.filter((row) => row.left).map(({ id }) => id));
  return streaks.filter(({ endpointId }) => left.has(endpointId));
}

type Named = Pick<Result, 'id' | 'day'>;

const RELEASE = `
  update webhook_deliveries
  set lease_token = null, lease_until = now() + $4::int * interval '1 millisecond',
    next_attempt_at = case when status = 'retrying' then greatest(next_attempt_at, now() + $4::int * interval '1 millisecond') end
  where day = any($2::date[]) and id = any($3::text[]) and lease_token = $1 and status in ('pending', 'retrying')`;

/** Returns deliveries that were not attempted, to be taken again after a while. */
export async function releaseDeliveries(
  sql: Sql,
  token: string,
  deliveries: readonly Named[],
  delayMs: number,
): Promise<void> {
  for (const some of chunksOf(AT_ONCE, deliveries))
    await sql.rows(RELEASE, [token, ...namesOf(some), delayMs], 'release-deliveries');
}

const PARK = `
  update webhook_deliveries set in_backlog = true, lease_token = null, lease_until = now()
  where day = any($2::date[]) and id = any($3::text[]) and lease_token = $1 and status in ('pending', 'retrying')`;

/** Puts deliveries that should not be attempted now into their endpoints' backlogs. */
export async function parkDeliveries(
  sql: Sql,
  token: string,
  deliveries: readonly Named[],
): Promise<void> {
  for (const some of chunksOf(AT_ONCE, deliveries))
    await sql.rows(PARK, [token, ...namesOf(some)], 'park-deliveries');
}

/** Their partitions, and their ids. */
const namesOf = (deliveries: readonly Named[]): [days: string[], ids: string[]] => [
  [...new Set(deliveries.map(({ day }) => day))],
  deliveries.map(({ id }) => id),
];
