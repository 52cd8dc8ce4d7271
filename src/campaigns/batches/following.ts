import type { ReportedStatus } from '../../conversations/rules.ts';
import { first, type Sql } from '../../db/sql.ts';
import { reachedBefore } from '../reached.ts';
import { KEY_LENGTH } from './claims.ts';

/** The consequence of a status webhook, already merged into its message, for the recipient of a campaign. */
export interface MessageChange {
  readonly messageId: string;
  readonly status: ReportedStatus;
  /** Why it failed (design decisions §22), otherwise null. */
  readonly reason: string | null;
  readonly at: Date;
}

/**
 * Keeps recipients in step with their messages, forward only; this also settles `unconfirmed` ones, and ones that wait
 * for another try although WhatsApp took the last one. A try that failed is no reason against the next. If several
 * changes of one message come at once, the furthest counts. Safe to repeat.
 *
 * @param sql inside a transaction bound to the workspace
 */
export async function followMessages(
  sql: Sql,
  organizationId: string,
  changes: readonly MessageChange[],
): Promise<void> {
  const followed = await follow(sql, organizationId, changes, 'key');
  // Claimed before message ids were derived from recipients' ids, so found through the message; or passed over, because
  // another transaction, such as a reply's, was changing them: by now they are locked.
  const left = changes.filter(({ messageId }) => !followed.has(messageId));
  await follow(sql, organizationId, left, 'message');
}

async function follow(
  sql: Sql,
  organizationId: string,
  changes: readonly MessageChange[],
  by: keyof typeof FOLLOW,
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const rows = await sql.rows<{ id: string }>(
    FOLLOW[by],
    [
      organizationId,
      changes.map((change) => change.messageId),
      changes.map((change) => change.status),
      changes.map((change) => change.reason),
      changes.map((change) => change.at),
    ],
    `campaign-follow-by-${by}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * `failed` ranks below `delivered`: a later delivery corrects it (design decisions §1). Each recipient is looked up
 * separately, locked and changed by row address: in a single join the planner, misled by a young table's statistics,
 * would read all recipients for each change. A recipient being changed by a reply has another address afterwards, and
 * the statement that waited for it changes nothing; but thanks to its lock, the next one finds it.
 */
const followBy = (found: string): string => `
with told as (
  select distinct on (message_id) t.*, case t.status when 'sent' then 3 when 'failed' then 4 when 'delivered' then 5 else 6 end as rank
  from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) t (message_id, status, reason, at)
  order by message_id, rank desc
), found as (
  select t.*, r.recipient_at from told t cross join lateral (
    select r.ctid as recipient_at from ${found} and r.message_id = t.message_id limit 1 for no key update of r) r
)
update campaign_recipients r set
  status = t.status,
  reason = case when t.status = 'failed' then t.reason end,
  attempt_token = null,
  not_before = null,
  claimed_at = coalesce(r.claimed_at, t.at),
  settled_at = case when r.status in ('pending', 'sending', 'unconfirmed') then greatest(t.at, r.claimed_at) else r.settled_at end
from found t
where r.ctid = t.recipient_at
  and t.rank > case r.status when 'pending' then case t.status when 'failed' then 9 else 0 end
    when 'sending' then 1 when 'unconfirmed' then 2 when 'sent' then 3 when 'failed' then 4
    when 'delivered' then 5 when 'read' then 6 else 9 end
returning r.message_id as id`;

const FOLLOW = {
  key: followBy(
    `campaign_recipients r where r.organization_id = $1 and r.message_key = right(t.message_id, ${KEY_LENGTH})`,
  ),
  message: followBy(`messages m join campaign_recipients r
      on r.organization_id = $1 and r.campaign_id = m.campaign_id
        and (r.contact_id = m.contact_id or m.contact_id is null)
    where m.organization_id = $1 and m.id = t.message_id`),
};

/**
 * Counts a person's message to a number as the reply to the campaign of that number that reached them last before it. A
 * message written before a campaign but received later is not a reply to it. Campaigns are looked up from the latest on,
 * usually one: hence `offset 0`.
 *
 * @param sql inside a transaction bound to the workspace
 * @param message whose it is, to which number, and when it was written
 * @returns the campaign, or null if there is none or it already has a reply
 */
export async function noteReply(
  sql: Sql,
  organizationId: string,
  message: { readonly contactId: string; readonly numberId: string; readonly at: Date },
): Promise<string | null> {
  const { contactId, numberId, at } = message;
  const row = await first<{ id: string }>(
    sql,
    `update campaign_recipients set replied_at = $3
     where organization_id = $1 and replied_at is null and contact_id = $2 and message_id = (
       select r.message_id from (
         select r.message_id, r.campaign_id from campaign_recipients r
         where r.organization_id = $1 and r.contact_id = $2 and ${reachedBefore('$3::timestamptz')}
         order by r.settled_at desc offset 0) r
       where (select c.number_id from campaigns c where c.organization_id = $1 and c.id = r.campaign_id) = $4 limit 1)
     returning campaign_id as id`,
    [organizationId, contactId, at, numberId],
    'campaign-reply',
  );
  return row?.id ?? null;
}
