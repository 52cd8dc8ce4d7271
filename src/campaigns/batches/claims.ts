import { ROW_BY_ROW } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import { WINDOW_MARGIN_MS } from '../../numbers/rules.ts';
import { reachedSince } from '../audience/retries.ts';
import { countedFor } from '../limits/day-limits.ts';

/**
 * Settings of the transactions that claim and settle. Their statements look up rows one by one and change them by row
 * address, and planning that again for each batch would cost a fifth of running it. A process suspended in the middle
 * of one loses its connection, and with it the row locks, which no one else could get otherwise.
 */
export const PLANNED_ONCE = `${ROW_BY_ROW}; set local enable_sort = off; set local idle_in_transaction_session_timeout = '8s'`;

/** A recipient whose intent is committed: from here on it is sent once, or reported as `unconfirmed`. */
export interface Claimed {
  readonly recipientId: string;
  /** Sent along as the correlation; stays the same when the send is tried again, but not before WhatsApp was asked. */
  readonly messageId: string;
  /** Null for a group. */
  readonly contactId: string | null;
  readonly name: string;
  /** E.164: where the 24-hour window counts, that of the phone that wrote. "" for a group. */
  readonly phone: string;
  /** WhatsApp's id of the group that gets it, instead of a person. */
  readonly group?: string;
  readonly text: string;
  /** Including this one, but without those that WhatsApp turned away for reasons of the number. */
  readonly attempts: number;
  /** Whether its message exists already: an earlier try's, or a group's. */
  readonly written: boolean;
  /** Its claim's: only with it can it be settled. */
  readonly token: string;
  /** The number's day that its claim was counted on; absent if days are not counted. */
  readonly countedOn?: string;
}

export interface Claim {
  readonly claimed: readonly Claimed[];
  /**
   * Recipients that may no longer get it: opted out, blocked, deleted, with another phone, outside the window, or
   * reached by what this one retries since the freezing.
   */
  readonly skipped: number;
  /** The last recipient examined if there may be more after it; null if there are none now. */
  readonly through: string | null;
}

export interface ClaimRequest {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly numberId: string;
  readonly window24h: boolean;
  /** The campaign's as the batch read it. */
  readonly limitsRevision: number;
  /** Of this claim alone: when a settlement is repeated, somebody it gave back may have been claimed again. */
  readonly token: string;
  readonly limit: number;
  /** Only recipients after this one; from the first one by default. */
  readonly after?: string;
  /** Only people with whom the number has exchanged messages, because today's warm-up is used up. */
  readonly knownOnly?: boolean;
  readonly now: Date;
}

/**
 * Reserves the next recipients in the caller's transaction. The campaign's row is locked for share, whereas pausing
 * and cancelling lock it for update, so what they answer holds from then on. Commit before sending. A message's id is
 * made of the time of its claim and the last characters of its recipient's id, by which a status webhook finds the
 * recipient of a message that is not written yet, without an index on columns that claims change.
 */
export async function claim(sql: Sql, request: ClaimRequest): Promise<Claim> {
  const rows = await sql.rows<ClaimRow>(
    request.knownOnly ? CLAIM_KNOWN : CLAIM,
    [
      request.organizationId,
      request.campaignId,
      request.limit,
      request.token,
      request.numberId,
      request.window24h,
      new Date(request.now.getTime() + WINDOW_MARGIN_MS),
      request.now,
      newId('msg').slice(0, -KEY_LENGTH),
      request.after ?? '',
      request.limitsRevision,
    ],
    request.knownOnly ? 'campaign-claim-known' : 'campaign-claim',
  );
  const claimed = rows.filter((row) => row.lost === null).map((row) => toClaimed(row, request));
  const through = rows.length < request.limit ? null : (rows.at(-1)?.id ?? null);
  return { claimed, skipped: rows.length - claimed.length, through };
}

/** The part of a message's id that comes from its recipient's: the column `message_key`. */
export const KEY_LENGTH = 16;

interface ClaimRow {
  readonly id: string;
  readonly message_id: string;
  readonly contact_id: string;
  readonly name: string;
  readonly phone: string;
  readonly text: string;
  readonly attempts: number;
  readonly written: boolean;
  readonly lost: string | null;
}

const toClaimed = (row: ClaimRow, { token }: ClaimRequest): Claimed => ({
  recipientId: row.id,
  messageId: row.message_id,
  contactId: row.contact_id,
  name: row.name,
  phone: row.phone,
  text: row.text,
  attempts: row.attempts,
  written: row.written,
  token,
});

/**
 * SQL of a claim, `$1` the workspace, `$2` the campaign, `$5` its number: returns a row while the campaign is
 * sending, and its number has the limit that the batch knows, locked so that a pause or another limit waits for this
 * claim.
 *
 * @param revision the parameter with `limitsRevision`, such as `$11`
 */
export const going = (revision: string): string => `going as (
  select c.created_by, c.retry_of from campaigns c
  where c.organization_id = $1 and c.id = $2 and c.status = 'sending' and c.frozen_at is not null
    and c.limits_revision = ${revision}
    and not exists (select from pacers p where p.organization_id = $1 and p.number_id = $5
      and p.lane = 'number' and p.held_until > now())
  for share of c
)`;

/** SQL: `reachedSince` for a campaign that retries another; all others never ask. */
export const healed = (recipients: string, column: string): string =>
  `case when (select g.retry_of from going g) is not null then ${reachedSince('$2', recipients, column)} end`;

/** The new state of a recipient `r`: reserved under the token `$4` or, if `a.lost` says why, skipped `now`. */
export const reserved = (now: string, messageId: string): string => `
    status = case when a.lost is null then 'sending' else 'skipped' end,
    reason = a.lost,
    attempts = r.attempts + (a.lost is null)::int,
    attempt_token = case when a.lost is null then $4 end,
    claimed_at = case when a.lost is null then now() end,
    settled_at = case when a.lost is not null then ${now}::timestamptz end,
    not_before = null,
    message_id = case when a.lost is null then ${messageId} else r.message_id end`;

/** Whether the phone of `d` is no longer one of its contact's; two merged contacts have two. It may be a stranger's by now. */
const GONE = `not exists (select from contact_identities i
      where i.organization_id = $1 and i.type = 'phone' and i.value = d.phone and i.contact_id = d.contact_id)`;

// Laterals and row addresses (of rows locked in the same statement) leave the planner only one way to find a row,
// even while a young table's statistics make every way look equally good. No index includes the changed columns. Only
// a recipient that was claimed before has a message: it waited for another try.
const claimSql = (whom: string): string => `
with ${going('$11')}, due as (
  select r.ctid as at, r.id, r.contact_id, r.identity_key, r.phone, r.text, r.message_id
  from campaign_recipients r
  where r.organization_id = $1 and r.campaign_id = $2 and r.id > $10 and r.status = 'pending'
    and (r.not_before is null or r.not_before <= now()) and exists (select from going) ${whom}
  order by r.organization_id, r.campaign_id, r.id limit $3 for update skip locked
), aimed as (
  select d.*, c.name, coalesce(s.value, d.phone) as aim,
    case when c.id is null or c.blocked or c.phone_key is distinct from d.identity_key and ${GONE} then 'no_recipient'
      when c.opted_out then 'opted_out'
      when $6::boolean and w.open is null then 'out_of_window'
      when ${healed('o.contact_id = d.contact_id', `o.campaign_id || ''`)} then 'duplicate'
    end as lost
  from due d
  left join lateral (
    select c.id, c.name, c.blocked, c.opted_out, c.phone_key from contacts c
    where c.organization_id = $1 and c.id = d.contact_id limit 1
  ) c on true
  left join lateral (
    select true as open, v.wrote_from from conversations v where $6::boolean and v.organization_id = $1
      and v.number_id = $5 and v.contact_id = d.contact_id and v.window_expires_at > $7 limit 1
  ) w on true
  left join lateral (
    select s.value from contact_identities s where $6::boolean and s.organization_id = $1 and s.type = 'phone'
      and s.value = w.wrote_from and s.contact_id = d.contact_id limit 1
  ) s on true
), moved as (
  update campaign_recipients r set ${reserved('$8', 'coalesce(r.message_id, $9 || r.message_key)')}
  from aimed a
  where r.organization_id = $1 and r.ctid = a.at
  returning r.id, r.message_id, a.contact_id, a.name, a.aim as phone, a.text, r.attempts, a.message_id is not null as written,
    r.reason as lost
), again as (
  update messages m set status = case when a.lost is null then 'sending' else 'cancelled' end, error = null, provider_id = null
  from aimed a cross join lateral (
    select o.ctid as at from messages o where o.organization_id = $1 and o.id = a.message_id limit 1
  ) o
  where a.message_id is not null and m.ctid = o.at and (m.status = 'queued' or m.status = 'failed' and a.lost is null)
)
select * from moved order by id`;

const CLAIM = claimSql('');
const CLAIM_KNOWN = claimSql(`and ${countedFor('$5')}`);
