import type { Actor } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import { ASKS } from '../automated/answers.ts';
import type { Context, InWorkspace, ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, validation } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { bodyWith } from '../templates/rules.ts';
import { noteActivity } from './activities.ts';
import { end } from './closing.ts';
import { type ConversationRow, presentConversation, presentMessage } from './present.ts';
import {
  activitiesOf,
  conversationById,
  lockConversation,
  messageById,
  messagesIn,
  messagesOf,
  listConversations as rowsOf,
  templatesOf,
} from './queries.ts';
import type {
  ActivityView,
  ConversationFilters,
  ConversationView,
  MessageView,
  ReadThrough,
} from './schema.ts';
import { requireMessage } from './sending/checks.ts';
import { tellAutomations } from './telling.ts';

/** The conversations that the caller sees, by latest message or newest first. */
export async function listConversations(
  ctx: ReadContext,
  filters: ConversationFilters,
  page: PageRequest,
): Promise<PageOf<ConversationView>> {
  const rows = await rowsOf(ctx, withoutMe(ctx.actor, filters), page);
  const byLatest = filters.sort === 'last_message_at';
  return pageOf(
    rows,
    page,
    (row) => presentConversation(row, ctx),
    (row) => (byLatest ? row.latest : null),
  );
}

/** A key acts as a service account, which is not a member, so there is no "me" to filter by. */
function withoutMe(actor: Actor, filters: ConversationFilters): ConversationFilters {
  if (filters.member_id !== 'me') return filters;
  if (actor.type === 'member') return { ...filters, member_id: actor.id };
  const message = 'An API key has no member. Name a member id, or use none.';
  throw validation([{ path: 'member_id', rule: 'no_member', message }]);
}

/** A conversation that the caller sees. Throws 404. */
export async function getConversation(ctx: ReadContext, id: string): Promise<ConversationView> {
  return presentConversation(found(await conversationById(ctx, id)), ctx);
}

const found = (row: ConversationRow | null): ConversationRow => {
  if (!row) throw notFound('conversation');
  return row;
};

/** Newest first. Throws 404 for a conversation the caller cannot see. */
export async function listMessages(
  ctx: ReadContext,
  conversationId: string,
  page: PageRequest,
): Promise<PageOf<MessageView>> {
  found(await conversationById(ctx, conversationId));
  const rows = await messagesOf(ctx, conversationId, page);
  return pageOf(rows, page, presentMessage);
}

/** A message of a conversation that the caller sees. Throws 404. */
export async function getMessage(ctx: ReadContext, id: string): Promise<MessageView> {
  const row = await messageById(ctx, id);
  if (!row) throw notFound('message');
  return presentMessage(row);
}

/** What these messages of a conversation answer, react to or correct; the caller has checked that the actor may see it. */
export async function answeredMessages(
  { sql, organizationId }: InWorkspace,
  conversationId: string,
  messages: readonly Pick<MessageView, 'reply_to_id'>[],
): Promise<MessageView[]> {
  const ids = messages.flatMap(({ reply_to_id: id }) => id ?? []);
  if (ids.length === 0) return [];
  const rows = await messagesIn({ sql, organizationId }, conversationId, ids);
  return rows.map(presentMessage);
}

export interface SentTemplate {
  readonly name: string;
  /**
   * For a message that was queued without words of its own: those that the template has by now, or what was filled in, if the
   * number does not have it.
   */
  readonly words: string;
}

/** Which template each of these messages is, by the message's id; the caller has checked that the actor may see them. */
export async function sentTemplates(
  { sql, organizationId }: InWorkspace,
  messages: readonly Pick<MessageView, 'id' | 'type'>[],
): Promise<ReadonlyMap<string, SentTemplate>> {
  const ids = messages.filter(({ type }) => type === 'template').map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await templatesOf({ sql, organizationId }, ids);
  return new Map(
    rows.map(({ id, template: { name, parameters }, components }) => {
      const words = bodyWith(components ?? [], parameters) || parameters.join(', ');
      return [id, { name, words }];
    }),
  );
}

/** What happened to it besides messages, newest first. Throws 404. */
export async function listActivities(
  ctx: ReadContext,
  conversationId: string,
  page: PageRequest,
): Promise<PageOf<ActivityView>> {
  found(await conversationById(ctx, conversationId));
  const rows = await activitiesOf(ctx, conversationId, page);
  return pageOf(rows, page, ({ id, type, data, actor, createdAt }) => ({
    id,
    type,
    team_id: data.team_id ?? null,
    member_id: data.member_id ?? null,
    note: data.note ?? '',
    actor,
    created_at: createdAt.toISOString(),
  }));
}

/**
 * Nothing in it up to this message is unread any more; a person who waits for an answer goes on waiting. Throws 404.
 *
 * @param through the newest message that was shown
 */
export const markRead = (ctx: Context, id: string, through: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const { unread } = found(await lockConversation(tx, id));
    const later = await first<{ unread: number }>(
      tx.sql,
      `select least($4::int, count(*))::int as unread from messages s
       where s.organization_id = $1 and s.conversation_id = $2 and s.id > $3 and ${ASKS}`,
      [tx.organizationId, id, through, unread],
    );
    const left = later?.unread ?? 0;
    if (left === unread) return;
    await tx.sql.rows(
      'update conversations set unread = $4, updated_at = $3 where organization_id = $1 and id = $2',
      [tx.organizationId, id, tx.now, left],
    );
    await audit(tx, {
      action: 'conversation.read',
      target: { type: 'conversation', id, name: '' },
      changes: [{ field: 'unread', from: unread, to: left }],
    });
  });

/** As `markRead`, for who names a message of the conversation. Throws 404, and 422 `validation` for any other message. */
export const readThrough = (
  ctx: Context,
  id: string,
  { through }: ReadThrough,
): Promise<ConversationView> =>
  transact(ctx, async (tx) => {
    found(await lockConversation(tx, id));
    await requireMessage(tx, id, 'through', through);
    await markRead(tx, id, through);
    return getConversation(tx, id);
  });

/** Closes a conversation. The contact's next message reopens it. */
export const closeConversation = (ctx: Context, id: string): Promise<ConversationView> =>
  transact(ctx, async (tx) => {
    const row = found(await lockConversation(tx, id));
    if (row.status === 'closed') throw invalidState('closed', ['open']);
    await end(tx, row);
    return getConversation(tx, id);
  });

/** Throws 404, and 409 `invalid_state` when it is open. */
export const reopenConversation = (ctx: Context, id: string): Promise<ConversationView> =>
  transact(ctx, async (tx) => {
    const row = found(await lockConversation(tx, id));
    if (row.status === 'open') throw invalidState('open', ['closed']);
    await tx.sql.rows(
      `update conversations set status = 'open', opened_at = $3, updated_at = $3, closed_at = null
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, tx.now],
    );
    await noteActivity(tx, id, 'reopened', {});
    await tellAutomations(tx, row, 'conversation_opened');
    await audit(tx, {
      action: 'conversation.reopened',
      target: { type: 'conversation', id, name: '' },
      changes: [{ field: 'status', from: 'closed', to: 'open' }],
    });
    return getConversation(tx, id);
  });
