import type { Sql } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import {
  type Claim,
  type Claimed,
  type ClaimRequest,
  going,
  healed,
  KEY_LENGTH,
  reserved,
} from './claims.ts';

/** `claim` for campaigns to groups: no window, no contact, and the group's own conversation. */
export async function claimGroups(sql: Sql, request: ClaimRequest): Promise<Claim> {
  const rows = await sql.rows<GroupRow>(
    CLAIM,
    [
      request.organizationId,
      request.campaignId,
      request.limit,
      request.token,
      request.numberId,
      request.now,
      newId('msg').slice(0, -KEY_LENGTH),
      request.limitsRevision,
    ],
    'campaign-claim-groups',
  );
  const claimed = rows.filter((row) => row.lost === null).map((row) => toClaimed(row, request));
  return { claimed, skipped: rows.length - claimed.length, through: null };
}

interface GroupRow {
  readonly id: string;
  readonly message_id: string;
  readonly name: string;
  readonly provider_id: string;
  readonly text: string;
  readonly attempts: number;
  readonly lost: string | null;
}

const toClaimed = (row: GroupRow, { token }: ClaimRequest): Claimed => ({
  recipientId: row.id,
  messageId: row.message_id,
  contactId: null,
  name: row.name,
  phone: '',
  group: row.provider_id,
  text: row.text,
  attempts: row.attempts,
  written: true,
  token,
});

const CLAIM = `
with ${going('$8')}, due as (
  select r.id, r.group_id, r.text, r.message_id, r.message_key
  from campaign_recipients r
  where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'pending'
    and (r.not_before is null or r.not_before <= now()) and exists (select from going)
  order by r.id limit $3 for update skip locked
), aimed as (
  select d.*, g.name, g.provider_id, g.conversation_id, coalesce(d.message_id, $7 || d.message_key) as sent_as,
    case when g.id is null or g.left_at is not null then 'no_recipient'
      when ${healed('o.identity_key = d.group_id', 'o.campaign_id')} then 'duplicate'
    end as lost
  from due d
  left join groups g on g.organization_id = $1 and g.id = d.group_id and g.number_id = $5
), moved as (
  update campaign_recipients r set ${reserved('$6', 'a.sent_as')}
  from aimed a where r.organization_id = $1 and r.campaign_id = $2 and r.id = a.id
  returning r.id, r.attempts
), written as (
  insert into messages (organization_id, id, conversation_id, number_id, direction, type, text,
    status, source, author, campaign_id, created_at)
  select $1, a.sent_as, a.conversation_id, $5, 'outbound', 'text', a.text, 'sending', 'campaign', g.created_by, $2, $6
  from aimed a cross join going g where a.lost is null
  on conflict (organization_id, id) do update set status = 'sending', error = null
  where messages.status in ('queued', 'failed')
), dropped as (
  update messages m set status = 'cancelled' from aimed a
  where a.lost is not null and m.organization_id = $1 and m.id = a.message_id and m.status = 'queued'
)
select a.id, a.sent_as as message_id, a.name, a.provider_id, a.text, m.attempts, a.lost
from aimed a join moved m using (id) order by a.id`;
