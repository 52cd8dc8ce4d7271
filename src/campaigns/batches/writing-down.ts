import { messageSent, type SentMessage } from '../../conversations/receiving/announcing.ts';
import type { Sql } from '../../db/sql.ts';
import { insertFacts } from '../../outbox/record.ts';

/**
 * SQL for the end of a statement that settles recipients of a campaign: writes their messages, into conversations
 * that are created if there are none. Follows a CTE `out` (message_id, contact_id, group_id, campaign_id, author,
 * text, status, provider_id, error, sent_at, delivered_at, read_at, fresh_place); $1 is the workspace, $2 the number, $3 is
 * now. Returns these messages, and whether any endpoint subscribes to `message.sent`: otherwise a hundred thousand
 * events would be made for no one. A conversation created concurrently is not seen; then a foreign key fails, and the
 * statement must be repeated. A message that waited for another try exists already.
 */
export const WRITTEN_DOWN = `
said as (
  select o.*, coalesce(v.id, g.conversation_id, first_value(o.fresh_place) over (partition by o.contact_id)) as place,
    v.id is null and g.conversation_id is null as opens
  from out o
  left join lateral (select v.id from conversations v
    where v.organization_id = $1 and v.contact_id = o.contact_id and v.number_id = $2 limit 1) v on true
  left join lateral (select g.conversation_id from groups g
    where g.organization_id = $1 and g.id = o.group_id limit 1) g on true
  where o.contact_id is not null or g.conversation_id is not null
), opened as (
  insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, opened_at, last_message_at, last_outbound_at, created_at)
  select $1, s.place, $2, s.contact_id,
    (select n.default_team_id from numbers n where n.organization_id = $1 and n.id = $2), $3,
    case when s.status not in ('queued', 'failed') then $3::timestamptz end, s.sent_at, $3
  from said s where s.opens
  on conflict do nothing returning id
), written as (
  insert into messages as m (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
    source, author, campaign_id, provider_id, error, sent_at, delivered_at, read_at, created_at)
  select $1, s.message_id, s.place, $2, s.contact_id, 'outbound', 'text', s.text, s.status, 'campaign',
    s.author, s.campaign_id, s.provider_id, s.error, s.sent_at, s.delivered_at, s.read_at, least($3::timestamptz, s.sent_at)
  from said s
  on conflict (organization_id, id) do update set status = excluded.status, error = excluded.error,
    provider_id = coalesce(excluded.provider_id, m.provider_id), sent_at = excluded.sent_at,
    delivered_at = excluded.delivered_at, read_at = excluded.read_at
  where m.status in ('sending', 'queued')
  returning m.id, m.conversation_id, m.contact_id, m.text, m.sent_at, m.campaign_id
), reached as (
  update conversations v set last_message_at = greatest(v.last_message_at, s.sent_at),
    last_outbound_at = greatest(v.last_outbound_at, s.sent_at)
  from said s cross join lateral (select o.ctid as at from conversations o
    where o.organization_id = $1 and o.id = s.place limit 1) o
  where v.ctid = o.at and not s.opens and s.sent_at is not null
  returning v.id
)
select id, conversation_id as "conversationId", contact_id as "contactId", text, sent_at as "sentAt", campaign_id as "campaignId",
  (select exists (select from webhook_endpoints e
    where e.organization_id = $1 and e.deleted_at is null and 'message.sent' = any(e.events))) as heard,
  sent_at is not null and conversation_id not in (select id from opened union all select id from reached) as missed
from written`;

/** A message of a campaign that is being written. */
export interface WrittenDown {
  readonly id: string;
  readonly conversationId: string;
  /** Null for a group's message, which has no event (design decisions §16). */
  readonly contactId: string | null;
  readonly text: string;
  readonly campaignId: string;
  /** Null for one that was not sent, or may not have been. */
  readonly sentAt: Date | null;
  /** Whether an endpoint of the workspace subscribes to `message.sent`. */
  readonly heard: boolean;
  /** Another transaction was changing its conversation, which therefore does not know of it yet. */
  readonly missed: boolean;
}

/**
 * Runs a statement that ends with `WRITTEN_DOWN`. A conversation that changed at that moment has another row address
 * afterwards; the time of its message is made up for by itself.
 *
 * @param params the workspace first
 */
export async function writeDown(
  sql: Sql,
  text: string,
  params: readonly unknown[],
  name: string,
): Promise<WrittenDown[]> {
  const written = await sql.rows<WrittenDown>(text, params, name);
  for (const { missed, conversationId, sentAt } of written)
    if (missed) await sql.rows(REACHED, [params[0], conversationId, sentAt], 'campaign-reached');
  return written;
}

const REACHED = `
update conversations set last_message_at = greatest(last_message_at, $3), last_outbound_at = greatest(last_outbound_at, $3)
where organization_id = $1 and id = $2`;

/** Messages to groups have no events. */
export const isEvent = (
  message: WrittenDown,
): message is WrittenDown & { contactId: string; sentAt: Date } =>
  message.heard && message.contactId !== null && message.sentAt !== null;

type Person = Pick<SentMessage, 'name' | 'phone'>;

/**
 * Records `message.sent` for each message that was sent, once: whoever wrote the message records it.
 *
 * @returns how many facts were recorded
 */
export async function announceWritten(
  sql: Sql,
  { organizationId, numberId }: { readonly organizationId: string; readonly numberId: string },
  written: readonly WrittenDown[],
  personOf: (contactId: string, messageId: string) => Person | undefined,
): Promise<number> {
  const facts = written.filter(isEvent).flatMap((message) => {
    const { contactId, sentAt, id, conversationId, text } = message;
    const person = personOf(contactId, id);
    if (!person) return [];
    const { name, phone } = person;
    const source = 'campaign' as const;
    const content = { id, text, type: 'text', replyToId: null, media: null };
    const told = { ...content, conversationId, contactId, name, phone, numberId, source };
    return [messageSent(organizationId, told, sentAt)];
  });
  await insertFacts(sql, organizationId, facts);
  return facts.length;
}
