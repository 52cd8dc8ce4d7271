import { visibleConversations, visibleThrough } from '../access/visibility.ts';
import { ANSWERS, ASKS } from '../automated/answers.ts';
import { reachable } from '../contacts/reaching.ts';
import type { InWorkspace, ReadContext, Seeing } from '../context.ts';
import { type Bind, binding, equalBy, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import { WINDOW_MARGIN_MS } from '../numbers/rules.ts';
import { SENT_AS } from '../templates/rules.ts';
import type { ConversationRow, MessageRow } from './present.ts';
import type { MessageTemplate } from './rules.ts';
import type { ActivityView, ConversationFilters } from './schema.ts';

const columns = (
  now: string,
): string => `c.id, c.status, c.number_id as "numberId", c.contact_id as "contactId", c.group_id as "groupId",
  c.assigned_member_id as "assignedMemberId", c.assigned_team_id as "assignedTeamId", c.unread,
  c.handled_by as "handledBy", c.opened_at as "openedAt", c.closed_at as "closedAt",
  c.last_message_at as "lastMessageAt", c.window_expires_at as "windowExpiresAt",
  c.snoozed_until as "snoozedUntil", c.waiting_since as "waitingSince", c.created_at as "createdAt",
  n.window_24h and c.group_id is null as "hasWindow", n.status as "numberStatus", coalesce(k.blocked, false) as blocked,
  coalesce(k.opted_out, false) as "optedOut", c.group_id is not null or ${reachable(now, 'k', 'c')} as reachable,
  g.left_at is not null as "leftGroup"`;

const TABLES = `conversations c
  join numbers n on n.organization_id = c.organization_id and n.id = c.number_id
  left join contacts k on k.organization_id = c.organization_id and k.id = c.contact_id
  left join groups g on g.organization_id = c.organization_id and g.id = c.group_id`;

/** A conversation without messages sorts by the time it was created. As the index has it (migration 0069). */
const LATEST = '(case when c.last_message_at is null then c.created_at else c.last_message_at end)';
/** The place of a page in that order, exact to the microsecond. */
const PLACE = `to_char(${LATEST} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The conversation, or null if it does not exist or the actor cannot see it. */
export const conversationById = (ctx: ReadContext, id: string): Promise<ConversationRow | null> =>
  oneConversation(ctx, id, '');

/** Locked, so that the caller decides on a state that no one else is changing. */
export const lockConversation = (ctx: ReadContext, id: string): Promise<ConversationRow | null> =>
  oneConversation(ctx, id, 'for update of c');

function oneConversation(
  { sql, organizationId, actor, now }: ReadContext,
  id: string,
  lock: string,
): Promise<ConversationRow | null> {
  const { params, bind } = binding(organizationId, id, now);
  const seen = visibleConversations(actor, 'c', bind);
  return first(
    sql,
    `select ${columns('$3')} from ${TABLES} where c.organization_id = $1 and c.id = $2 and ${seen} ${lock}`,
    params,
    seen === 'true' && lock === '' ? 'conversation' : undefined,
  );
}

type Listed = ConversationRow & { latest: string };

/** Returns one row more than the page holds if there is another page. */
export function listConversations(
  { sql, organizationId, actor, now }: ReadContext,
  filters: ConversationFilters,
  page: PageRequest,
): Promise<Listed[]> {
  const { params, bind } = binding(organizationId, page.limit + 1, now);
  const seen = visibleConversations(actor, 'c', bind);
  const conditions = [
    ...(seen === 'true' ? [] : [seen]),
    ...conditionsOf(filters, now, bind),
    ...beginning(filters, page, bind),
  ];
  const order = filters.sort === 'last_message_at' ? `${LATEST} desc, c.id desc` : 'c.id desc';
  return sql.rows<Listed>(
    `select ${columns('$3')}, ${PLACE} as latest from ${TABLES}
     where c.organization_id = $1${conditions.map((condition) => ` and ${condition}`).join('')}
     order by ${order} limit $2`,
    params,
    conditions.length === 0 && filters.sort === 'created_at' ? 'conversations' : undefined,
  );
}

function beginning({ sort }: ConversationFilters, { after }: PageRequest, bind: Bind): string[] {
  if (!after) return [];
  if (sort === 'created_at') return [`c.id < ${bind(after.id)}`];
  return [`(${LATEST}, c.id) < (${bind(after.at)}::timestamptz, ${bind(after.id)})`];
}

function conditionsOf(filters: ConversationFilters, now: Date, bind: Bind): string[] {
  const equal = equalBy(bind);
  const orNone = (column: string, value: string | undefined): string[] =>
    value === 'none' ? [`${column} is null`] : equal(column, value);
  const either = (value: string | undefined, sql: Readonly<Record<string, string>>): string[] =>
    value === undefined ? [] : [sql[value] ?? 'false'];
  return [
    ...equal('c.status', filters.status),
    ...equal('c.number_id', filters.number_id),
    ...equal('c.contact_id', filters.contact_id),
    ...equal('c.group_id', filters.group_id),
    ...equal('c.handled_by', filters.handled_by),
    ...orNone('c.assigned_team_id', filters.team_id),
    ...orNone('c.assigned_member_id', filters.member_id),
    ...either(filters.kind, {
      contact: 'c.contact_id is not null',
      group: 'c.group_id is not null',
    }),
    // What is closed has been read, and there is an index of what is open.
    ...either(filters.unread, {
      true: "c.unread > 0 and c.status = 'open'",
      false: 'c.unread = 0',
    }),
    ...windowIs(filters.window, now, bind),
    ...(filters.updated_since
      ? [`greatest(c.updated_at, c.last_message_at) >= ${bind(filters.updated_since)}`]
      : []),
  ];
}

/** A conversation on a number without a window, and one with a group, always counts as open. As `insideWindow`. */
function windowIs(window: ConversationFilters['window'], now: Date, bind: Bind): string[] {
  if (!window) return [];
  const until = bind(new Date(now.getTime() + WINDOW_MARGIN_MS));
  const open = `(not n.window_24h or c.group_id is not null or coalesce(c.window_expires_at > ${until}, false))`;
  return [window === 'open' ? open : `not ${open}`];
}

const MESSAGE = `select m.id, m.direction, m.text, m.status, m.source, m.media_name as "mediaName",
  m.media_type as "mediaType", m.created_at as "createdAt", m.conversation_id as "conversationId",
  m.contact_id as "contactId", m.type, m.media_id as "mediaId", m.reply_to_id as "replyToId",
  m.client_ref as "clientRef", m.author, m.campaign_id as "campaignId", m.automation_id as "automationId",
  m.run_id as "runId", m.reminder_id as "reminderId", m.sent_at as "sentAt", m.delivered_at as "deliveredAt",
  m.read_at as "readAt", m.error
  from messages m`;

/**
 * Newest first, one more than the page holds. The caller must already have checked that the actor may see the
 * conversation.
 */
export const messagesOf = (
  { sql, organizationId }: InWorkspace,
  conversationId: string,
  page: PageRequest,
): Promise<MessageRow[]> =>
  sql.rows(
    `${MESSAGE}
     where m.organization_id = $1 and m.conversation_id = $2 and ($3::text is null or m.id < $3)
     order by m.id desc limit $4`,
    [organizationId, conversationId, page.after?.id ?? null, page.limit + 1],
    'messages-of-conversation',
  );

/** Those of these messages that are in this conversation. The caller must have checked the same. */
export const messagesIn = (
  { sql, organizationId }: InWorkspace,
  conversationId: string,
  ids: readonly string[],
): Promise<MessageRow[]> =>
  sql.rows(
    `${MESSAGE} where m.organization_id = $1 and m.conversation_id = $2 and m.id = any($3)`,
    [organizationId, conversationId, ids],
  );

interface TemplateRow {
  /** The message's. */
  readonly id: string;
  readonly template: MessageTemplate;
  /** Null if the number does not have it any more. */
  readonly components: readonly unknown[] | null;
}

/** The templates that these messages are, as the number has them now. */
export const templatesOf = (
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<TemplateRow[]> =>
  sql.rows(
    `select m.id, m.template, t.components from messages m left join templates t on ${SENT_AS}
     where m.organization_id = $1 and m.id = any($2) and m.template is not null`,
    [organizationId, ids],
  );

/** The message, or null if it does not exist or the actor cannot see its conversation. */
export function messageById(
  { sql, organizationId, actor }: Seeing,
  id: string,
): Promise<MessageRow | null> {
  const { params, bind } = binding(organizationId, id);
  const seen = visibleThrough(actor, 'm', bind);
  return first(sql, `${MESSAGE} where m.organization_id = $1 and m.id = $2 and ${seen}`, params);
}

interface ActivityRow {
  readonly id: string;
  readonly type: ActivityView['type'];
  readonly data: {
    readonly team_id?: string | null;
    readonly member_id?: string | null;
    readonly note?: string;
  };
  readonly actor: ActivityView['actor'];
  readonly createdAt: Date;
}

/**
 * Newest first, one more than the page holds. The caller must already have checked that the actor may see the
 * conversation.
 */
export const activitiesOf = (
  { sql, organizationId }: InWorkspace,
  conversationId: string,
  page: PageRequest,
): Promise<ActivityRow[]> =>
  sql.rows(
    `select id, type, data, actor, created_at as "createdAt" from conversation_activities
     where organization_id = $1 and conversation_id = $2 and ($3::text is null or id < $3)
     order by id desc limit $4`,
    [organizationId, conversationId, page.after?.id ?? null, page.limit + 1],
    'activities-of-conversation',
  );

/** What `conversation.closed` reports about the time since the conversation was opened. */
export interface Tally {
  readonly inbound: number;
  readonly outbound: number;
  readonly firstReplySeconds: number | null;
}

/**
 * Outbound counts messages that left. A reply is a message by a person or an automation after one of the contact's.
 */
export const tallySince = (
  { sql, organizationId }: InWorkspace,
  conversationId: string,
  openedAt: Date,
): Promise<Tally | null> =>
  first(
    sql,
    `with said as (
       select direction, type, text, source, sent_at, created_at from messages
       where organization_id = $1 and conversation_id = $2 and created_at >= $3),
     asked as (select min(created_at) as at from said s where ${ASKS})
     select count(*) filter (where ${ASKS}) as inbound,
       count(*) filter (where direction = 'outbound' and sent_at is not null) as outbound,
       extract(epoch from min(created_at) filter (
         where direction = 'outbound' and sent_at is not null and created_at >= asked.at
           and source in ${ANSWERS}) - min(asked.at))::float8 as "firstReplySeconds"
     from said s, asked`,
    [organizationId, conversationId, openedAt],
  );
