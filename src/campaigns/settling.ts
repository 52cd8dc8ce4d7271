import { messageSent } from '../conversations/announcing.ts';
import type { MessageError } from '../conversations/entities.ts';
import type { Sql } from '../db/sql.ts';
import type { LossReason } from '../gateway/port.ts';
import { insertFacts } from '../outbox/record.ts';
import type { Claimed } from './claims.ts';

/** What became of one claimed recipient. */
export type Settlement =
  | { readonly status: 'sent'; readonly row: Claimed; readonly providerId: string }
  | { readonly status: 'failed'; readonly row: Claimed; readonly error: MessageError }
  /** It may have been sent: only a status webhook, or a person, decides. */
  | { readonly status: 'unconfirmed'; readonly row: Claimed; readonly error: MessageError }
  /** Surely unsent. `called` is false when the provider was not even asked. */
  | {
      readonly status: 'pending';
      readonly row: Claimed;
      readonly called: boolean;
      readonly delayMs: number;
    };

export interface SettleRequest {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly numberId: string;
  readonly token: string;
  readonly now: Date;
}

/**
 * Writes down what became of claimed recipients, in the caller's transaction. Rows that are not under
 * this token any more are left as they are: a status webhook was quicker, or they were given up as
 * unconfirmed. `message.sent` is recorded exactly where this statement set `sent_at`.
 *
 * @returns how many facts were recorded.
 */
export async function settle(
  sql: Sql,
  request: SettleRequest,
  answers: readonly Settlement[],
): Promise<number> {
  const { organizationId, campaignId, numberId, token, now } = request;
  // Status webhooks lock the same messages at the same time, in this order too: other orders deadlock.
  const settlements = [...answers].sort((a, b) => (a.row.messageId < b.row.messageId ? -1 : 1));
  const written = await sql.rows<{ id: string }>(
    SETTLE,
    [
      organizationId,
      campaignId,
      token,
      now,
      settlements.map(({ row }) => row.recipientId),
      settlements.map(({ row }) => row.messageId),
      settlements.map(({ status }) => status),
      settlements.map((each) => (each.status === 'failed' ? each.error.reason : null)),
      settlements.map((each) => (each.status === 'sent' ? each.providerId : null)),
      settlements.map((each) => ('error' in each ? JSON.stringify(each.error) : null)),
      settlements.map((each) => (each.status === 'pending' ? each.delayMs : null)),
      settlements.map((each) => each.status === 'pending' && !each.called),
    ],
    'campaign-settle',
  );
  const sent = new Set(written.map(({ id }) => id));
  const facts = settlements.flatMap(({ row }) => {
    const { messageId: id, contactId } = row;
    // A group's message is no event (design decisions §16).
    if (!sent.has(id) || contactId === null) return [];
    const message = { ...row, id, contactId, numberId, source: 'campaign' as const };
    return [messageSent(organizationId, message, now)];
  });
  await insertFacts(sql, organizationId, facts);
  return facts.length;
}

// Rows are found one by one by their whole key and changed by their address: while the statistics of a
// young table say that every index finds just one row, the planner cannot choose a worse way. A row that
// somebody else changes at this very moment is left to them. A conversation that was opened for the message says
// when it was written already; it loses that again when the message surely did not leave.
const SETTLE = `
with told as (
  select * from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::jsonb[], $11::int[], $12::boolean[])
    t (recipient_id, message_id, status, reason, provider_id, error, delay_ms, uncalled)
), found as (
  select t.*, r.at as recipient_at, m.at as message_at
  from told t
  left join lateral (select r.ctid as at from campaign_recipients r
    where r.organization_id = $1 and r.campaign_id = $2 and r.id = t.recipient_id limit 1) r on true
  left join lateral (select m.ctid as at from messages m
    where m.organization_id = $1 and m.id = t.message_id limit 1) m on true
), moved as (
  update campaign_recipients r set
    status = t.status,
    reason = t.reason,
    attempts = r.attempts - t.uncalled::int,
    attempt_token = null,
    claimed_at = case when t.status = 'pending' then null else r.claimed_at end,
    not_before = case when t.delay_ms > 0 then now() + t.delay_ms * interval '1 millisecond' end,
    settled_at = case when t.status = 'pending' then null else $4::timestamptz end
  from found t
  where r.ctid = t.recipient_at and r.attempt_token = $3 and r.status = 'sending'
), written as (
  update messages m set
    status = case when t.status = 'pending' then 'queued' else t.status end,
    provider_id = coalesce(t.provider_id, m.provider_id),
    sent_at = case when t.status = 'sent' then $4::timestamptz end,
    error = t.error
  from found t
  where m.ctid = t.message_at and m.status = 'sending'
  returning m.id, m.conversation_id, m.contact_id, m.created_at, t.status
), reached as (
  update conversations v set last_message_at = case when w.status = 'sent' then greatest(v.last_message_at, $4) end
  from written w cross join lateral (select o.ctid as at, o.last_message_at = w.created_at and o.opened_at = w.created_at as opened
    from conversations o where o.organization_id = $1 and o.id = w.conversation_id limit 1) o
  where v.ctid = o.at and case w.status when 'sent' then o.opened is not true when 'unconfirmed' then false else o.opened end
), spoken as (
  update contacts c set last_outbound_at = greatest(c.last_outbound_at, $4)
  from written w cross join lateral (select o.ctid as at from contacts o
    where o.organization_id = $1 and o.id = w.contact_id limit 1) o
  where w.status = 'sent' and c.ctid = o.at
)
select id from written where status = 'sent'`;

/**
 * How long a claimed recipient may stay unsettled: longer than a send's 10 seconds and the writing down.
 * Older ones belong to a worker that is gone.
 */
export const CLAIM_LEASE_MS = 15_000;

const LOST_ANSWER: MessageError = {
  reason: 'unconfirmed' satisfies LossReason,
  code: 'unconfirmed',
  provider_code: null,
  message: 'The worker ended before the answer was written down.',
};

/** Recipients of a worker that died become `unconfirmed`: never sent again by the machine. */
export async function giveUpStale(
  sql: Sql,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
  now: Date,
): Promise<void> {
  await sql.rows(
    `with stale as (
       update campaign_recipients set status = 'unconfirmed', attempt_token = null, settled_at = $3
       where organization_id = $1 and campaign_id = $2 and status = 'sending'
         and claimed_at < now() - $4 * interval '1 millisecond'
       returning message_id)
     update messages m set status = 'unconfirmed', error = $5 from stale
     where m.organization_id = $1 and m.id = stale.message_id and m.status = 'sending'`,
    [organizationId, campaignId, now, CLAIM_LEASE_MS, JSON.stringify(LOST_ANSWER)],
    'campaign-stale',
  );
}
