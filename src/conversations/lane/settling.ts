import { WITHDRAWN } from '../../automated/withdrawing.ts';
import type { Sql } from '../../db/sql.ts';
import { forgetUploads } from '../../media/uploading.ts';
import { insertFacts } from '../../outbox/record.ts';
import { recordLosses } from '../losses.ts';
import { eventColumns, messageSent, type SentMessage } from '../receiving/announcing.ts';
import { errorOf, type Outcome } from './outcomes.ts';

/** The outcome of one taken message. */
export interface Settlement {
  readonly messageId: string;
  readonly outcome: Outcome;
}

export interface SettleRequest {
  readonly organizationId: string;
  readonly token: string;
  readonly now: Date;
}

/**
 * Marks messages as being sent, in the caller's transaction; commit it before asking WhatsApp.
 *
 * @returns those that are still held by this process and still to be sent
 */
export async function markSending(
  sql: Sql,
  { organizationId, token }: SettleRequest,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set();
  const rows = await sql.rows<{ id: string }>(
    `with mine as (
       update outgoing_messages set claimed_at = now()
       where organization_id = $1 and message_id = any($2) and claim_token = $3
       returning message_id)
     update messages m set status = 'sending' from mine
     where m.organization_id = $1 and m.id = mine.message_id and m.status = 'queued'
     returning m.id`,
    [organizationId, messageIds, token],
    'outgoing-intend',
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Records the outcomes of taken messages, in the caller's transaction. A message already settled by a status webhook
 * stays as it is, and an `unconfirmed` one is marked as sent. `message.sent` is recorded exactly where this statement
 * sets `sent_at`; messages to groups have no such event.
 *
 * @returns how many facts were recorded
 */
export async function settle(
  sql: Sql,
  request: SettleRequest,
  settlements: readonly Settlement[],
): Promise<number> {
  const { organizationId, token, now } = request;
  const ids = settlements.map(({ messageId }) => messageId);
  const isOne = ids.length === 1;
  // Status webhooks lock the same messages at the same time and in this order; another order would deadlock. A single
  // message needs no order.
  if (!isOne) await sql.rows(IN_ORDER, [organizationId, ids], 'outgoing-lock');
  const of = <T>(read: (outcome: Outcome) => T): T[] =>
    settlements.map(({ outcome }) => read(outcome));
  const sent = await sql.rows<SentMessage>(
    isOne ? SETTLE_ONE : SETTLE,
    [
      organizationId,
      token,
      now,
      ids,
      of(({ status }) => status),
      of((outcome) => ('providerId' in outcome ? (outcome.providerId ?? null) : null)),
      of((outcome) => ('error' in outcome ? JSON.stringify(outcome.error) : null)),
      of((outcome) => (outcome.status === 'queued' ? outcome.delayMs : 0)),
      of((outcome) => outcome.status === 'queued' && outcome.counted),
    ],
    isOne ? 'outgoing-settle-one' : 'outgoing-settle',
  );
  const lost = settlements.filter(({ outcome }) =>
    ['failed', 'cancelled'].includes(outcome.status),
  );
  await recordLosses(sql, organizationId, lost.map(idOf));
  await forgetUploads(sql, organizationId, lost.filter(byItsFile).map(idOf));
  const facts = sent.map((row) => messageSent(organizationId, row, now));
  await insertFacts(sql, organizationId, facts);
  return facts.length;
}

const idOf = ({ messageId }: Settlement): string => messageId;

const byItsFile = ({ outcome }: Settlement): boolean =>
  outcome.status === 'failed' && outcome.error.reason === 'media_invalid';

const IN_ORDER =
  'select id from messages where organization_id = $1 and id = any($2) order by id for update';

// Locked messages keep their addresses: by these no plan can come to read all of the workspace's.
const MANY = `
  select t.*, m.message_at
  from unnest($4::text[], $5::text[], $6::text[], $7::jsonb[], $8::float8[], $9::bool[])
    t (id, status, provider_id, error, delay_ms, counted)
  left join lateral (
    select m.ctid as message_at from messages m where m.organization_id = $1 and m.id = t.id limit 1) m on true`;

/** Tells the planner that there is only one, so it looks up one message instead of scanning the workspace's. */
const ONE = `
  select ($4::text[])[1] as id, ($5::text[])[1] as status, ($6::text[])[1] as provider_id, ($7::jsonb[])[1] as error,
    ($8::float8[])[1] as delay_ms, ($9::bool[])[1] as counted`;

const settling = (told: string, message: string): string => `
with told as materialized (${told}
), done as (
  delete from outgoing_messages o using told t
  where o.organization_id = $1 and o.message_id = t.id and o.claim_token = $2 and t.status <> 'queued'
), back as (
  update outgoing_messages o set claim_token = null, claimed_at = null, attempts = o.attempts + t.counted::int,
    not_before = now() + case when (select ${WITHDRAWN} from messages m
        join conversations v on v.organization_id = $1 and v.id = m.conversation_id
        where m.organization_id = $1 and m.id = t.id)
      then 0 else t.delay_ms end * interval '1 millisecond'
  from told t
  where o.organization_id = $1 and o.message_id = t.id and o.claim_token = $2 and t.status = 'queued'
), written as (
  update messages m set status = t.status, provider_id = coalesce(t.provider_id, m.provider_id),
    sent_at = case when t.status = 'sent' then $3::timestamptz else m.sent_at end, error = t.error
  from told t
  where ${message} and m.sent_at is null and t.status <> 'dropped'
    and case when t.status = 'sent' then m.status in ('queued', 'sending', 'unconfirmed')
      else (m.status = 'sending' or m.status = 'queued' and t.status in ('failed', 'cancelled'))
        and exists (select from outgoing_messages o
          where o.organization_id = $1 and o.message_id = t.id and o.claim_token = $2) end
  returning m.id, m.text, ${eventColumns('m')}, m.source, m.number_id, m.conversation_id, m.contact_id, t.status
), reached as (
  update conversations v set last_message_at = greatest(v.last_message_at, $3) from written w
  where w.status = 'sent' and v.organization_id = $1 and v.id = w.conversation_id
), spoken as (
  update contacts c set last_outbound_at = greatest(c.last_outbound_at, $3) from written w
  where w.status = 'sent' and c.organization_id = $1 and c.id = w.contact_id
)
select w.id, w.text, w.type, w."replyToId", w.media, w.source, w.number_id as "numberId", w.conversation_id as "conversationId",
  w.contact_id as "contactId", c.name, c.phone
from written w join contacts c on c.organization_id = $1 and c.id = w.contact_id
where w.status = 'sent'`;

const SETTLE = settling(MANY, 'm.ctid = t.message_at');
const SETTLE_ONE = settling(ONE, 'm.organization_id = $1 and m.id = t.id');

const LOST_ANSWER = errorOf('unconfirmed', 'The worker ended before the answer was written down.');

/**
 * Releases what an ended process held, in the caller's transaction: messages it had not begun to send are due again;
 * those it may have sent become `unconfirmed`, and are never sent again automatically.
 */
export const giveUp = (
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
  tokens: readonly string[],
): Promise<unknown> =>
  sql.rows(
    `with stale as (
       select o.message_id as id, m.status from outgoing_messages o
       join messages m on m.organization_id = $1 and m.id = o.message_id
       where o.organization_id = $1 and o.message_id = any($2) and o.claim_token = any($3)
       order by o.message_id for update
     ), back as (
       update outgoing_messages o set claim_token = null, claimed_at = null from stale s
       where o.organization_id = $1 and o.message_id = s.id and s.status = 'queued'
     ), gone as (
       delete from outgoing_messages o using stale s
       where o.organization_id = $1 and o.message_id = s.id and s.status <> 'queued'
     )
     update messages m set status = 'unconfirmed', error = $4::jsonb from stale s
     where m.organization_id = $1 and m.id = s.id and s.status = 'sending'`,
    [organizationId, messageIds, tokens, JSON.stringify(LOST_ANSWER)],
    'outgoing-give-up',
  );
