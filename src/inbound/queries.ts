import type pg from 'pg';
import { tryingAdvisoryLock } from '../db/advisory-locks.ts';
import { oneByOne, type Sql } from '../db/sql.ts';
import { type Traceparent, traceparent } from '../tracing/spans.ts';

/**
 * Stores a body once, however often it is repeated.
 *
 * @returns false for a body that is stored already
 */
export async function storeWebhook(
  system: pg.Pool,
  sha256: Buffer,
  body: string,
): Promise<boolean> {
  const { rowCount } = await system.query({
    name: 'inbound-store',
    text: 'insert into inbound_webhooks (sha256, body, trace) values ($1, $2, $3) on conflict do nothing',
    values: [sha256, body, traceparent()],
  });
  return rowCount === 1;
}

export interface StoredWebhook {
  readonly sha256: Buffer;
  readonly body: string;
  readonly tries: number;
  readonly ageMs: number;
  /** Whether it was put off before. */
  readonly again: boolean;
  /** The trace of the request that brought it. */
  readonly trace: Traceparent;
}

/** What is in the way of a webhook for longer than this does not pass by itself. */
export const STUCK_AFTER_MS = 60_000;

/** The most webhooks claimed at once. */
export const BATCH = 200;
const BATCH_BYTES = 8 * 1024 * 1024;
/** What people wrote to one number, because whoever writes to another one meanwhile waits for the batch to end. */
const MESSAGES_OF_ONE = BATCH / 4;
/** How far a process looks beyond what others are processing: at the reports of one number, and over all that wait. */
const LOOKED_AT = 1_000;
const LOOKED_AT_IN_ALL = 3_000;
/** So many messages come before the next report, for which nobody waits. */
const BEFORE_A_REPORT = 3;

// The next three are those of the index of migration 0138, to the letter. `processed_at is null` would do for the first
// one, but for another index too, which is not by numbers: while statistics are older than a storm, it looks as good.
const WAITING = 'num_nulls(processed_at) = 1';
/** The number that a body is about: the first one, or none. */
const NUMBER = `coalesce(substring(body from '"phone_number_id"\\s*:\\s*"(\\d{1,32})"'), '')`;
/** Whether it only reports: 1, or 0. */
const REPORTS = `case when strpos(body, '"statuses":') > 0 and strpos(body, '"messages":') = 0 then 1 else 0 end`;

/**
 * Every number that a body is about has its turn with the caller. Only of reports does the order not matter; those
 * written with spaces take the turn without need.
 */
const IN_TURN = `case when (${REPORTS}) = 1 then true
  else (select coalesce(bool_and(${tryingAdvisoryLock('inbound', 'number[1]')}), true)
    from regexp_matches(body, '"phone_number_id"\\s*:\\s*"(\\d+)"', 'g') number) end`;

/** Something passing was in the way of what people wrote, and what they write next must not come before it. */
const PUT_OFF = `(${REPORTS}) = 0 and tries = 0 and received_at > now() - interval '${STUCK_AFTER_MS} milliseconds'`;
/** Whether a batch may have it; what was put off only along with something that is due. */
const TAKEABLE = `(not_before <= now() or ${PUT_OFF})`;

// The last step goes through them one by one and stops at a full batch, so that only what is taken is locked.
const CLAIM = `
with recursive numbers as (
  (select ${NUMBER} as number from inbound_webhooks where ${WAITING} order by 1 limit 1)
  union all
  select (select ${NUMBER} from inbound_webhooks where ${WAITING} and ${NUMBER} > n.number order by 1 limit 1)
  from numbers n where n.number is not null
), near as (
  select d.sha256, d.seq, k.reports,
    row_number() over (partition by n.number, k.reports order by d.seq)
      * case k.reports when 1 then ${BEFORE_A_REPORT} else 1 end as place
  from numbers n cross join (values (0, ${MESSAGES_OF_ONE}), (1, ${LOOKED_AT})) k (reports, most) cross join lateral (
    select sha256, seq from (
      select sha256, seq, due, max(seq) filter (where due) over () as last_due from (
        select sha256, seq, not_before <= now() as due from inbound_webhooks
        where ${WAITING} and ${NUMBER} = n.number and ${REPORTS} = k.reports and ${TAKEABLE}
        order by seq limit least(k.most, (select ${LOOKED_AT_IN_ALL} / count(*) + 1 from numbers))) own) looked
    where due or seq < last_due) d
  where n.number is not null
), taken as (
  select w.sha256, w.seq, w.bytes, row_number() over () as place
  from (select sha256 from near order by place, reports, seq offset 0) n cross join lateral (
    select sha256, seq, octet_length(body) as bytes from inbound_webhooks
    where sha256 = n.sha256 and ${oneByOne(`processed_at is null and ${TAKEABLE}`)} and ${IN_TURN} for update skip locked) w
  limit ${BATCH}
), sized as (select sha256, seq, sum(bytes) over (order by place) - bytes as before from taken)
select w.sha256, w.body, w.tries, w.trace,
  (extract(epoch from now() - w.received_at) * 1000)::float8 as "ageMs", w.not_before > w.received_at as again
from sized s join inbound_webhooks w using (sha256) where s.before < ${BATCH_BYTES} order by s.seq`;

/**
 * Due bodies, locked until the caller's transaction ends: the oldest of each number in turn, so that what many write to
 * one holds up no other, and what people wrote before reports. What was put off for a moment comes again with the next
 * that somebody writes to its number. A process that dies releases them at once; one that hangs loses its connection and
 * with it the locks. What people write to a number is with one process at a time: a second one would take the next
 * message while the first is still working through those before it.
 *
 * @returns in the order in which they came
 */
export const claimWebhooks = (sql: Sql): Promise<StoredWebhook[]> =>
  sql.rows<StoredWebhook>(CLAIM, [], 'inbound-claim');

/** The verdict on a body: done, or due again after `waitMs`. `failed` counts as a try. */
export interface Verdict {
  readonly sha256: Buffer;
  readonly done: boolean;
  readonly waitMs: number;
  readonly failed: boolean;
  readonly error: string | null;
}

/** Records many verdicts in one statement. */
export async function settleWebhooks(sql: Sql, verdicts: readonly Verdict[]): Promise<void> {
  await sql.rows(
    `update inbound_webhooks w set processed_at = case when v.done then now() end,
       not_before = now() + v.wait_ms * interval '1 millisecond',
       tries = w.tries + v.failed::int, error = coalesce(v.error, w.error)
     from unnest($1::bytea[], $2::bool[], $3::float8[], $4::bool[], $5::text[])
       v (sha256, done, wait_ms, failed, error)
     where w.sha256 = v.sha256`,
    [
      verdicts.map(({ sha256 }) => sha256),
      verdicts.map(({ done }) => done),
      verdicts.map(({ waitMs }) => waitMs),
      verdicts.map(({ failed }) => failed),
      verdicts.map(({ error }) => error),
    ],
    'inbound-settle',
  );
}

export interface NumberOwner {
  readonly organizationId: string;
  readonly numberId: string;
}

/** Found by WhatsApp's id. */
export interface KnownNumber extends NumberOwner {
  readonly phoneNumberId: string;
  /** Of a Cloud API number that was connected without its business account. */
  readonly lacksAccount: boolean;
}

/** The workspaces of these numbers, by WhatsApp's ids. */
export const ownersOf = (sql: Sql, phoneNumberIds: readonly string[]): Promise<KnownNumber[]> =>
  sql.rows(
    `select phone_number_id as "phoneNumberId", organization_id as "organizationId", id as "numberId",
       provider = 'cloud_api' and business_account_id is null as "lacksAccount"
     from numbers where phone_number_id = any($1)`,
    [phoneNumberIds],
    'inbound-owners',
  );

/** All numbers of a business account: what WhatsApp says about the account applies to each. */
export const numbersOfAccount = (sql: Sql, businessAccountId: string): Promise<NumberOwner[]> =>
  sql.rows(
    `select organization_id as "organizationId", id as "numberId" from numbers
     where business_account_id = $1 order by organization_id, id`,
    [businessAccountId],
    'inbound-account',
  );
