import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import type { DeliveryStatus } from './rules.ts';
import { MAX_OPEN_RETRIES } from './rules.ts';

/** What became of one first attempt, ready to be written down. */
export interface Result {
  readonly id: string;
  readonly day: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly status: DeliveryStatus;
  readonly startedAt: Date;
  readonly code: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: Date | null;
}

/** How an endpoint's run of failures changed: from zero again, or longer by so many. */
export interface Streak {
  readonly endpointId: string;
  readonly reset: boolean;
  readonly failures: number;
}

/** Room for what other processes record at the same moment; the sweep fills the last ones. */
const OPEN_RETRIES = MAX_OPEN_RETRIES - 20;

/**
 * Many attempts of one day in one statement: the deliveries, their attempts, and for each failure the
 * command that starts its retries, so that a crash can lose none of the three. Fenced by the token.
 * A failure beyond the endpoint's open retries stays a row until a slot is free.
 *
 * The day stands in the text: the statement then opens one partition, not all of them.
 */
const record = (day: string): string => `
  with results as (
    select r.*, row_number() over (partition by r.endpoint_id, r.status order by r.id) as place
    from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::int[], $7::int[], $8::text[], $9::text[], $10::timestamptz[], $11::text[])
      as r (id, endpoint_id, status, started_at, code, duration_ms, response, error, next_attempt_at, fact_id)
  ), open_retries as (
    select f.endpoint_id, count(o.id) as open
    from (select distinct endpoint_id from results where status = 'retrying') f
    left join webhook_deliveries o on o.organization_id = (select organization_id from webhook_endpoints e where e.id = f.endpoint_id)
      and o.endpoint_id = f.endpoint_id and o.owned_by_workflow and o.finished_at is null
    group by f.endpoint_id
  ), recorded as (
    update webhook_deliveries d
    set status = case when d.status = 'held' and r.status = 'retrying' then d.status else r.status end,
      attempts = d.attempts + 1, round_attempts = d.round_attempts + 1,
      first_attempt_at = coalesce(d.first_attempt_at, r.started_at), next_attempt_at = r.next_attempt_at,
      finished_at = case when r.status <> 'retrying' then r.started_at + r.duration_ms * interval '1 millisecond' end,
      owned_by_workflow = r.status = 'retrying' and r.place + coalesce(o.open, 0) <= ${OPEN_RETRIES},
      code = r.code, duration_ms = r.duration_ms, response = r.response, error = r.error,
      lease_token = null, lease_until = null
    from results r left join open_retries o on o.endpoint_id = r.endpoint_id
    where d.day = '${day}' and d.id = r.id and d.lease_token = $1 and d.finished_at is null
    returning d.organization_id, d.id, d.endpoint_id, d.event_id, d.attempts, d.owned_by_workflow, r.started_at, r.code,
      r.duration_ms, r.response, r.error, r.fact_id
  ), tried as (
    insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
    select '${day}', organization_id, id, attempts, started_at, code, duration_ms, response, error from recorded
  )
  insert into facts (organization_id, id, type, is_event, payload)
  select organization_id, fact_id, 'delivery.retrying', false,
    json_build_object('deliveryId', id, 'endpointId', endpoint_id, 'eventId', event_id)::text
  from recorded where owned_by_workflow
  returning 1 as started`;

/** Writes the results down; answers how many retries got a workflow. */
export async function recordResults(
  sql: Sql,
  token: string,
  day: string,
  results: readonly Result[],
): Promise<number> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new TypeError('not a day');
  const started = await sql.rows(
    record(day),
    [
      token,
      results.map((r) => r.id),
      results.map((r) => r.endpointId),
      results.map((r) => r.status),
      results.map((r) => r.startedAt),
      results.map((r) => r.code),
      results.map((r) => r.durationMs),
      results.map((r) => r.response),
      results.map((r) => r.error),
      results.map((r) => r.nextAttemptAt),
      results.map((r) => (r.status === 'retrying' ? newId('fct') : null)),
    ],
    `record-attempts-${day}`,
  );
  return started.length;
}

/** Endpoints are written to only when something changed about them: never while all is well. */
const STREAKS = `
  update webhook_endpoints e set failures_in_row = case when s.reset then s.failures else e.failures_in_row + s.failures end
  from unnest($1::text[], $2::bool[], $3::int[]) as s (id, reset, failures)
  where e.id = s.id and not (s.reset and e.failures_in_row = s.failures)`;

export async function recordStreaks(sql: Sql, streaks: readonly Streak[]): Promise<void> {
  if (streaks.length === 0) return;
  // In one order everywhere, so that two processes never wait for each other in a circle.
  const sorted = streaks.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
  await sql.rows(
    STREAKS,
    [sorted.map((s) => s.endpointId), sorted.map((s) => s.reset), sorted.map((s) => s.failures)],
    'record-streaks',
  );
}

/** Gives deliveries back that were not attempted, to be taken again after a while. */
const RELEASE = `
  update webhook_deliveries d set lease_token = null, lease_until = now() + $4::int * interval '1 millisecond'
  from unnest($2::date[], $3::text[]) as r (day, id)
  where d.day = r.day and d.id = r.id and d.lease_token = $1 and d.status = 'pending'`;

export async function releaseDeliveries(
  sql: Sql,
  token: string,
  deliveries: readonly { readonly id: string; readonly day: string }[],
  delayMs: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const params = [token, deliveries.map((d) => d.day), deliveries.map((d) => d.id), delayMs];
  await sql.rows(RELEASE, params, 'release-deliveries');
}
