import type { MessageError } from '../../conversations/rules.ts';
import type { Sql } from '../../db/sql.ts';
import type { LossReason } from '../../gateway/port.ts';
import { newId } from '../../ids.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import { type Claimed, KEY_LENGTH } from './claims.ts';
import { announceWritten, WRITTEN_DOWN, type WrittenDown, writeDown } from './writing-down.ts';

/** The outcome of one claimed recipient. */
export type Settlement =
  | { readonly status: 'sent'; readonly row: Claimed; readonly providerId: string }
  | { readonly status: 'failed'; readonly row: Claimed; readonly error: MessageError }
  /** It may have been sent, or WhatsApp holds it back; only a status webhook, or a person, can decide. */
  | {
      readonly status: 'unconfirmed';
      readonly row: Claimed;
      readonly error: MessageError;
      readonly providerId?: string;
    }
  /**
   * Certainly not sent. `called` is false if the provider was not even asked; `counted` is true if it turned away this
   * recipient rather than the number.
   */
  | {
      readonly status: 'pending';
      readonly row: Claimed;
      readonly called: boolean;
      readonly counted: boolean;
      readonly delayMs: number;
    };

export interface SettleRequest {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly numberId: string;
  readonly now: Date;
}

/**
 * Records the outcomes of claimed recipients and of their messages, in the caller's transaction. Rows no longer under
 * their claim's token are left alone: a status webhook was quicker, they were given up as unconfirmed, or this was
 * recorded before and somebody has claimed them again. `message.sent` is recorded exactly where this marks a message as
 * sent.
 *
 * @returns how many facts were recorded
 */
export async function settle(
  sql: Sql,
  request: SettleRequest,
  answers: readonly Settlement[],
): Promise<number> {
  // Status webhooks lock the same recipients at the same time and in this order; another order would deadlock.
  const settlements = [...answers].sort((a, b) => (a.row.messageId < b.row.messageId ? -1 : 1));
  await lockWritten(sql, request.organizationId, settlements);
  const written = await record(sql, request, settlements);
  const missed = await stillClaimed(sql, request, unwritten(settlements, written));
  if (missed.length > 0) written.push(...(await record(sql, request, missed)));
  const rows = new Map(settlements.map(({ row }) => [row.messageId, row]));
  return announceWritten(sql, request, written, (_contactId, id) => rows.get(id));
}

const record = (
  sql: Sql,
  { organizationId, campaignId, numberId, now }: SettleRequest,
  settlements: readonly Settlement[],
): Promise<WrittenDown[]> =>
  writeDown(
    sql,
    SETTLE,
    [
      organizationId,
      numberId,
      now,
      campaignId,
      settlements.map(({ row }) => row.token),
      settlements.map(({ row }) => row.recipientId),
      settlements.map(({ status }) => status),
      settlements.map((each) => (each.status === 'failed' ? each.error.reason : null)),
      settlements.map((each) => ('providerId' in each ? (each.providerId ?? null) : null)),
      settlements.map((each) => ('error' in each ? JSON.stringify(each.error) : null)),
      settlements.map((each) => (each.status === 'pending' ? each.delayMs : null)),
      settlements.map((each) => each.status !== 'pending' || each.counted),
      settlements.map((each) => each.status !== 'pending' || each.called || each.row.written),
      settlements.map(() => newId('cnv')),
    ],
    'campaign-settle',
  );

const unwritten = (
  settlements: readonly Settlement[],
  written: readonly WrittenDown[],
): readonly Settlement[] => {
  const ids = new Set(written.map(({ id }) => id));
  return settlements.filter(({ row }) => !ids.has(row.messageId));
};

/**
 * Those that `SETTLE` should have recorded but did not, for another transaction was changing their recipients: their
 * contact was being merged or deleted. They are locked now, so that they are not missed again.
 */
async function stillClaimed(
  sql: Sql,
  { organizationId, campaignId }: SettleRequest,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  if (settlements.length === 0) return [];
  const rows = await sql.rows<{ id: string }>(
    STILL_CLAIMED,
    [
      organizationId,
      campaignId,
      settlements.map(({ row }) => row.token),
      settlements.map(({ row }) => row.recipientId),
    ],
    'campaign-still-claimed',
  );
  const ids = new Set(rows.map(({ id }) => id));
  return settlements.filter(({ row }) => ids.has(row.recipientId));
}

const STILL_CLAIMED = `
select t.recipient_id as id from unnest($3::text[], $4::text[]) t (token, recipient_id)
cross join lateral (select from campaign_recipients r
  where r.organization_id = $1 and r.campaign_id = $2 and r.id = t.recipient_id
    and r.attempt_token = t.token and r.status = 'sending' limit 1 for no key update) r`;

/** Messages that exist are locked before their recipients, as in the processing of their status webhooks. */
async function lockWritten(
  sql: Sql,
  organizationId: string,
  settlements: readonly Settlement[],
): Promise<void> {
  const ids = settlements.flatMap(({ row }) => (row.written ? [row.messageId] : []));
  if (ids.length === 0) return;
  await sql.rows(
    'select from messages where organization_id = $1 and id = any($2) order by id for update',
    [organizationId, ids],
    'campaign-lock-written',
  );
}

/** Who made the campaign `$4` of the workspace `$1`: read once a statement, not once a message. */
const AUTHOR =
  '(select c.created_by from campaigns c where c.organization_id = $1 and c.id = $4) as author';

// Rows are found one by one by their complete key and changed by row address: while a young table's statistics make
// every index look equally good, the planner cannot choose a worse way. A row that another transaction is changing
// right now has another address afterwards, and is passed over. A person whom WhatsApp was never asked about has no
// message, and gets the id of one when it is sent, perhaps days later; a group's is written by its claim.
const SETTLE = `
with told as (
  select * from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::jsonb[], $11::int[], $12::boolean[],
    $13::boolean[], $14::text[]) t (token, recipient_id, status, reason, provider_id, error, delay_ms, counted, kept, fresh_place)
), found as (
  select t.*, r.at from told t cross join lateral (select r.ctid as at from campaign_recipients r
    where r.organization_id = $1 and r.campaign_id = $4 and r.id = t.recipient_id limit 1) r
), moved as (
  update campaign_recipients r set
    status = t.status,
    reason = t.reason,
    attempts = r.attempts - (not t.counted)::int,
    attempt_token = null,
    message_id = case when t.kept then r.message_id end,
    claimed_at = case when t.status = 'pending' then null else r.claimed_at end,
    not_before = case when t.delay_ms > 0 then now() + t.delay_ms * interval '1 millisecond' end,
    settled_at = case when t.status = 'pending' then null else $3::timestamptz end
  from found t
  where r.ctid = t.at and r.attempt_token = t.token and r.status = 'sending'
  returning r.message_id, r.contact_id, r.group_id, r.text, t.status, t.provider_id, t.error, t.kept, t.fresh_place
), out as (
  select message_id, contact_id, group_id, $4::text as campaign_id, ${AUTHOR}, text, fresh_place, provider_id, error,
    case when status = 'pending' then 'queued' else status end as status,
    case when status = 'sent' then $3::timestamptz end as sent_at,
    null::timestamptz as delivered_at, null::timestamptz as read_at
  from moved where kept
), ${WRITTEN_DOWN}`;

/**
 * How long a claimed recipient may stay unsettled: longer than a send's 10 seconds and its recording. Older claims
 * belong to a dead worker.
 */
export const CLAIM_LEASE_MS = 15_000;

const LOST_ANSWER: MessageError = {
  reason: 'unconfirmed' satisfies LossReason,
  code: 'unconfirmed',
  provider_code: null,
  message: 'The worker ended before the answer was written down.',
};

/** Recipients of a dead worker become `unconfirmed`, and are never sent to again automatically. */
export async function giveUpStale(
  sql: Sql,
  { organizationId, campaignId, numberId }: CampaignRef & { readonly numberId: string },
  now: Date,
): Promise<void> {
  await sql.rows(
    GIVE_UP,
    [
      organizationId,
      numberId,
      now,
      campaignId,
      CLAIM_LEASE_MS,
      JSON.stringify(LOST_ANSWER),
      newId('cnv').slice(0, -KEY_LENGTH),
    ],
    'campaign-stale',
  );
}

const GIVE_UP = `
with moved as (
  update campaign_recipients set status = 'unconfirmed', attempt_token = null, settled_at = $3
  where organization_id = $1 and campaign_id = $4 and status = 'sending'
    and claimed_at < now() - $5 * interval '1 millisecond'
  returning message_id, message_key, contact_id, group_id, text
), out as (
  select message_id, contact_id, group_id, $4::text as campaign_id, ${AUTHOR}, text, $7 || message_key as fresh_place,
    null::text as provider_id, $6::jsonb as error, 'unconfirmed' as status, null::timestamptz as sent_at,
    null::timestamptz as delivered_at, null::timestamptz as read_at
  from moved
), ${WRITTEN_DOWN}`;
