import type { Sql } from '../../db/sql.ts';
import type { Traceparent } from '../../tracing/spans.ts';

/** A message that this process has taken from the queue, and will either send or return. */
export interface Taken {
  readonly organizationId: string;
  readonly numberId: string;
  readonly messageId: string;
  /** The trace of the request or job that queued it. */
  readonly trace: Traceparent;
}

export interface TakeRequest {
  /** This process's token for what it takes. */
  readonly token: string;
  /**
   * What it has in hand. A return whose answer got lost is repeated under the same token: it would take back what was
   * taken anew meanwhile, though it may be on its way already.
   */
  readonly held: readonly string[];
  readonly limit: number;
  /** Numbers that have enough in flight here, or are paused. */
  readonly except: readonly string[];
}

/** The most messages taken for one number at once. */
const PER_NUMBER = 16;

// One message at a time per conversation: a later one waits until the earlier one is settled.
const TAKE = `
with recursive waiting as (
  (select number_id from outgoing_messages where claim_token is null order by number_id limit 1)
  union all
  select (select o.number_id from outgoing_messages o where o.claim_token is null and o.number_id > w.number_id
    order by o.number_id limit 1)
  from waiting w where w.number_id is not null
), due as (
  select d.organization_id, d.message_id
  from waiting w cross join lateral (
    select o.organization_id, o.message_id, o.priority from outgoing_messages o
    where o.number_id = w.number_id and o.claim_token is null and o.not_before <= now()
      and o.message_id <> all($4) and not exists (select from outgoing_messages e
        where e.conversation_id = o.conversation_id and e.message_id < o.message_id)
    order by o.priority, o.message_id limit ${PER_NUMBER} for update skip locked) d
  where w.number_id is not null and w.number_id <> all($3)
  order by least(d.priority, 1), row_number() over (partition by w.number_id order by d.priority, d.message_id),
    d.message_id limit $2
)
update outgoing_messages o set claim_token = $1, claimed_at = now() from due d
where o.organization_id = d.organization_id and o.message_id = d.message_id
returning o.organization_id as "organizationId", o.number_id as "numberId", o.message_id as "messageId", o.trace`;

/**
 * Takes due messages across workspaces: people's replies first, then one message per number in turn, so that numbers
 * with long queues do not hold up the others.
 *
 * @param sql of the system role
 */
export const takeDue = (sql: Sql, { token, held, limit, except }: TakeRequest): Promise<Taken[]> =>
  sql.rows(TAKE, [token, limit, except, held], 'outgoing-take');

/** The processes that have messages in hand. */
export async function outgoingHolders(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ token: string }>(
    'select distinct claim_token as token from outgoing_messages where claim_token is not null',
    [],
    'outgoing-holders',
  );
  return rows.map(({ token }) => token);
}

/**
 * Longer than the longest upload and send together. A process that dies is noticed sooner by its missing presence;
 * this is for one that hangs.
 */
const LEASE_MS = 180_000;
/** Longer than the answer to a take is under way. One that comes later finds the messages taken from it. */
const UNKNOWN_MS = 5_000;

/** A process's own token, and the messages that it knows it has in hand. */
export interface LeaseHolder {
  readonly token: string;
  readonly held: readonly string[];
}

export interface Stale extends Omit<Taken, 'trace'> {
  readonly token: string;
}

/**
 * Messages held by processes that ended or hang, and those that this process has taken without knowing: the database
 * went away before it had answered, or while they were prepared.
 */
export const staleOnes = (
  sql: Sql,
  deadTokens: readonly string[],
  { token, held }: LeaseHolder,
): Promise<Stale[]> =>
  sql.rows(
    `select organization_id as "organizationId", number_id as "numberId", message_id as "messageId",
       claim_token as token
     from outgoing_messages
     where claim_token is not null
       and (claim_token = any($1) or claimed_at < now() - ${LEASE_MS} * interval '1 millisecond'
         or claim_token = $2 and message_id <> all($3) and claimed_at < now() - ${UNKNOWN_MS} * interval '1 millisecond')
     order by organization_id, message_id limit 1000`,
    [deadTokens, token, held],
    'outgoing-stale',
  );

export interface QueueState {
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** The size and age of the queue over all workspaces. */
export async function queueState(sql: Sql): Promise<QueueState> {
  const [row] = await sql.rows<QueueState>(
    `select count(*) as waiting,
       coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
     from outgoing_messages where claim_token is null`,
    [],
    'outgoing-queue',
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}
