import type { Sql } from '../../db/sql.ts';
import { first } from '../../db/sql.ts';
import type { Sendable } from '../signing/sender.ts';

/** A held delivery leased by this listener. */
export interface HeldDelivery extends Sendable {
  readonly id: string;
  /** `YYYY-MM-DD`: its partition. */
  readonly day: string;
  readonly type: string;
}

/** Who leases: the listener's record, and this process's token. */
export interface ListenerRef {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly token: string;
}

/** Longer than the longest attempt. A process that died on the same machine is noticed sooner. */
const LEASE = `interval '20 seconds'`;
const HELD = `d.organization_id = $1 and d.endpoint_id = $2 and d.in_backlog and d.status = 'held'`;
/** Its place in the order before it was leased. */
const ITS_TURN = 'd.created_at';

const TAKE = `
  with next as materialized (
    select d.day, d.id from webhook_deliveries d
    where ${HELD} and d.lease_until <= now()
    order by d.lease_until, d.event_id limit 1 for update skip locked
  ), taken as (
    update webhook_deliveries d set lease_token = $3, lease_until = now() + ${LEASE}
    from next where d.day = next.day and d.id = next.id
    returning d.day, d.id, d.organization_id, d.endpoint_id, d.event_id, d.type
  )
  select t.day, t.id, t.type, t.organization_id as "organizationId", t.endpoint_id as "endpointId",
    t.event_id as "eventId", v.body, e.url, e.secret, e.previous_secret as "previousSecret",
    e.previous_valid_until as "previousValidUntil", e.secret_version as "secretVersion"
  from taken t
  join webhook_endpoints e on e.organization_id = t.organization_id and e.id = t.endpoint_id
  join events v on v.day = t.day and v.id = t.event_id`;

/** Leases the oldest delivery that no one has leased, or returns null. */
export const takeHeld = (
  sql: Sql,
  { organizationId, endpointId, token }: ListenerRef,
): Promise<HeldDelivery | null> =>
  first<HeldDelivery>(sql, TAKE, [organizationId, endpointId, token], 'take-held');

/** The result of the one attempt. */
export interface Answered {
  readonly status: 'succeeded' | 'failed';
  readonly code: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: string | null;
}

const RECORD = `
  with recorded as (
    update webhook_deliveries
    set status = $4, attempts = attempts + 1, round_attempts = round_attempts + 1,
      first_attempt_at = coalesce(first_attempt_at, now() - $6::int * interval '1 millisecond'),
      next_attempt_at = null, finished_at = now(), code = $5, duration_ms = $6, response = $7, error = $8,
      in_backlog = false, held_at = null, lease_token = null, lease_until = null
    where day = $1 and id = $2 and lease_token = $3 and status = 'held'
    returning organization_id, attempts
  )
  insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms, response, error)
  select $1, organization_id, $2, attempts, now() - $6::int * interval '1 millisecond', $5, $6, $7, $8 from recorded`;

/** Guarded by the token: a delivery that another process has taken over meanwhile is not changed. */
export async function recordAnswer(
  sql: Sql,
  { day, id }: HeldDelivery,
  token: string,
  { status, code, durationMs, response, error }: Answered,
): Promise<void> {
  const told = [status, code, durationMs, response, error];
  await sql.rows(RECORD, [day, id, token, ...told], 'record-answer');
}

const PUT_BACK = `
  update webhook_deliveries d set lease_token = null, lease_until = ${ITS_TURN}
  where d.day = $1 and d.id = $2 and d.lease_token = $3 and d.status = 'held'`;

/** There was no answer: the delivery keeps its place in the order. */
export async function putBack(sql: Sql, { day, id }: HeldDelivery, token: string): Promise<void> {
  await sql.rows(PUT_BACK, [day, id, token], 'put-back');
}

/** The processes that have leased something. */
export async function holdersOf(
  sql: Sql,
  { organizationId, endpointId }: Pick<ListenerRef, 'organizationId' | 'endpointId'>,
): Promise<string[]> {
  const rows = await sql.rows<{ token: string }>(
    `select distinct d.lease_token as token from webhook_deliveries d where ${HELD} and d.lease_token is not null`,
    [organizationId, endpointId],
  );
  return rows.map(({ token }) => token);
}

/** Returns to their old place what these processes had leased, and every lease that has expired. */
export async function releaseHeld(
  sql: Sql,
  { organizationId, endpointId }: Pick<ListenerRef, 'organizationId' | 'endpointId'>,
  idle: readonly string[],
): Promise<void> {
  await sql.rows(
    `update webhook_deliveries d set lease_token = null, lease_until = ${ITS_TURN}
     where ${HELD} and d.lease_token is not null and (d.lease_token = any($3) or d.lease_until <= now())`,
    [organizationId, endpointId, idle],
  );
}
