import { BY_INDEX } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { KNOWN, type LimitedNumber } from './day-limits.ts';
import { WINDOW_MARGIN_MS } from './rules.ts';

/**
 * Settings of the transactions that claim and settle: their statements leave the planner one way, and finding it
 * anew for each batch costs a fifth of running it.
 */
export const PLANNED_ONCE = `${BY_INDEX}; set local plan_cache_mode = force_generic_plan`;

/** A recipient whose intent is committed: from here on it is sent once, or reported `unconfirmed`. */
export interface Claimed {
  readonly recipientId: string;
  /** Goes along as the correlation, and stays the same when the send is tried again. */
  readonly messageId: string;
  readonly conversationId: string;
  /** Null for a group. */
  readonly contactId: string | null;
  readonly name: string;
  /** E.164; "" for a group. */
  readonly phone: string;
  /** WhatsApp's id of the group that gets it, instead of a person. */
  readonly group?: string;
  readonly text: string;
  /** This one included. */
  readonly attempts: number;
}

export interface Claim {
  readonly claimed: readonly Claimed[];
  /** Those who may not get it any more: opted out, blocked, gone, or out of the window since the freezing. */
  readonly skipped: number;
}

export interface ClaimRequest {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly numberId: string;
  readonly window24h: boolean;
  /** Whose the claimed rows are: settling is refused to anybody else. */
  readonly token: string;
  readonly limit: number;
  /** Nobody whom the number never heard from nor wrote to: its warm-up of the day is used up. */
  readonly knownOnly?: boolean;
  /** The number's days are counted: whom it never wrote to must be told apart until an answer came. */
  readonly limited?: LimitedNumber | null;
  readonly now: Date;
}

/**
 * Reserves the next recipients in the caller's transaction. The campaign's row is locked for share while
 * a pause or cancel locks it for update: what is answered there holds from then on. Commit before sending.
 */
export async function claim(sql: Sql, request: ClaimRequest): Promise<Claim> {
  const fresh = Array.from({ length: request.limit }, () => newId('msg'));
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
      fresh,
      fresh.map(() => newId('cnv')),
      request.limited ? null : request.now,
    ],
    request.knownOnly ? 'campaign-claim-known' : 'campaign-claim',
  );
  const claimed = rows.filter((row) => row.lost === null).map(toClaimed);
  return { claimed, skipped: rows.length - claimed.length };
}

interface ClaimRow {
  readonly id: string;
  readonly message_id: string;
  readonly conversation_id: string;
  readonly contact_id: string;
  readonly name: string;
  readonly phone: string;
  readonly text: string;
  readonly attempts: number;
  readonly lost: string | null;
}

const toClaimed = (row: ClaimRow): Claimed => ({
  recipientId: row.id,
  messageId: row.message_id,
  conversationId: row.conversation_id,
  contactId: row.contact_id,
  name: row.name,
  phone: row.phone,
  text: row.text,
  attempts: row.attempts,
});

// Laterals and row addresses (of rows locked in the same statement) leave the planner one way to find a
// row, even while the statistics of a young table say that every way finds just one. A conversation that begins
// with the message already says when it was written ($11), so that settling finds nothing to change in it.
const claimSql = (whom: string): string => `
with going as (
  select c.created_by from campaigns c
  where c.organization_id = $1 and c.id = $2 and c.status = 'sending' and c.frozen_at is not null
    and not exists (select from pacers p where p.organization_id = $1 and p.number_id = $5
      and p.lane = 'number' and p.held_until > now())
  for share of c
), due as (
  select r.ctid as at, r.id, r.contact_id, r.phone, r.text, r.message_id
  from campaign_recipients r
  where r.organization_id = $1 and r.campaign_id = $2 and r.pending
    and (r.not_before is null or r.not_before <= now()) and exists (select from going) ${whom}
  order by r.organization_id, r.campaign_id, r.id limit $3 for update skip locked
), aimed as (
  select d.*, c.name, v.id as conversation_id, row_number() over (order by d.id) as n,
    case when c.id is null or c.blocked then 'no_recipient'
      when c.opted_out then 'opted_out'
      when $6::boolean and (v.window_expires_at is null or v.window_expires_at <= $7) then 'out_of_window'
    end as lost
  from due d
  left join lateral (
    select c.id, c.name, c.blocked, c.opted_out from contacts c
    where c.organization_id = $1 and c.id = d.contact_id limit 1
  ) c on true
  left join lateral (
    select v.id, v.window_expires_at from conversations v
    where v.organization_id = $1 and v.number_id = $5 and v.contact_id = d.contact_id limit 1
  ) v on true
), fresh as (
  select * from unnest($9::text[], $10::text[]) with ordinality f (message_id, conversation_id, n)
), moved as (
  update campaign_recipients r set
    status = case when a.lost is null then 'sending' else 'skipped' end,
    reason = a.lost,
    attempts = r.attempts + (a.lost is null)::int,
    attempt_token = case when a.lost is null then $4 end,
    claimed_at = case when a.lost is null then now() end,
    settled_at = case when a.lost is not null then $8::timestamptz end,
    not_before = null,
    message_id = case when a.lost is null then coalesce(r.message_id, f.message_id) else r.message_id end
  from aimed a join fresh f using (n)
  where r.organization_id = $1 and r.ctid = a.at
  returning r.id, r.message_id, r.attempts, r.reason as lost
), opened as (
  insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, opened_at, last_message_at, created_at)
  select $1, f.conversation_id, $5, a.contact_id,
    (select n.default_team_id from numbers n where n.organization_id = $1 and n.id = $5), $8, $11, $8
  from aimed a join fresh f using (n) where a.lost is null and a.conversation_id is null
  on conflict (organization_id, number_id, contact_id) do update set number_id = excluded.number_id
  returning id, contact_id
), placed as (
  select a.*, coalesce(a.conversation_id, o.id) as place, m.message_id as sent_as, m.attempts
  from aimed a join moved m using (id) left join opened o on o.contact_id = a.contact_id
), written as (
  insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text,
    status, source, author, campaign_id, created_at)
  select $1, p.sent_as, p.place, $5, p.contact_id, 'outbound', 'text', p.text,
    'sending', 'campaign', g.created_by, $2, $8
  from placed p cross join going g where p.lost is null
  on conflict (organization_id, id) do update set status = 'sending', error = null
), dropped as (
  update messages m set status = 'cancelled'
  from aimed a cross join lateral (
    select o.ctid as at from messages o where o.organization_id = $1 and o.id = a.message_id limit 1
  ) o
  where a.lost is not null and m.ctid = o.at and m.status = 'queued'
)
select id, sent_as as message_id, place as conversation_id, contact_id, name, phone, text, attempts, lost
from placed order by id`;

const CLAIM = claimSql('');
const CLAIM_KNOWN = claimSql(`and (exists (select from conversations v
    where v.organization_id = $1 and v.number_id = $5 and v.contact_id = r.contact_id and ${KNOWN})
  or exists (select from first_contacts f
    where f.organization_id = $1 and f.number_id = $5 and f.contact_id = r.contact_id))`);
