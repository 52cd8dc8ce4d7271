import type { Actor } from '../access/actor.ts';
import { audit, auditAll } from '../audit/service.ts';
import type { Context, ReadContext } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, validation } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { assignWaitingTo } from '../members/assigning.ts';
import { toldActor } from '../outbox/actors.ts';
import { recordEvent } from '../outbox/record.ts';
import { noteActivity } from './activities.ts';
import { type ConversationRow, presentConversation, presentMessage } from './present.ts';
import {
  activitiesOf,
  conversationById,
  lockConversation,
  messagesOf,
  listConversations as rowsOf,
  tallySince,
} from './queries.ts';
import type { ActivityView, ConversationFilters, ConversationView, MessageView } from './schema.ts';

export async function listConversations(
  ctx: ReadContext,
  filters: ConversationFilters,
  page: PageRequest,
): Promise<PageOf<ConversationView>> {
  const rows = await rowsOf(ctx, withoutMe(ctx.actor, filters), page, ctx.now);
  const byLatest = filters.sort === 'last_message_at';
  return pageOf(
    rows,
    page,
    (row) => presentConversation(row, ctx.now),
    (row) => (byLatest ? row.latest : null),
  );
}

/** A key acts as a service account, which is nobody's member: there is no "me" to look for. */
function withoutMe(actor: Actor, filters: ConversationFilters): ConversationFilters {
  if (filters.member_id !== 'me') return filters;
  if (actor.type === 'member') return { ...filters, member_id: actor.id };
  const message = 'An API key has no member. Name a member id, or use none.';
  throw validation([{ path: 'member_id', rule: 'no_member', message }]);
}

export async function getConversation(ctx: ReadContext, id: string): Promise<ConversationView> {
  return presentConversation(found(await conversationById(ctx, id)), ctx.now);
}

const found = (row: ConversationRow | null): ConversationRow => {
  if (!row) throw notFound('conversation');
  return row;
};

export async function listMessages(
  ctx: ReadContext,
  conversationId: string,
  page: PageRequest,
): Promise<PageOf<MessageView>> {
  found(await conversationById(ctx, conversationId));
  const rows = await messagesOf(ctx, conversationId, page);
  return pageOf(rows, page, presentMessage);
}

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
    actor,
    created_at: createdAt.toISOString(),
  }));
}

/** Ends a conversation. The next message of the contact opens it again. */
export const closeConversation = (ctx: Context, id: string): Promise<ConversationView> =>
  transact(ctx, async (tx) => {
    const row = found(await lockConversation(tx, id));
    if (row.status === 'closed') throw invalidState('closed', ['open']);
    await tx.sql.rows(
      `update conversations set status = 'closed', closed_at = $3, updated_at = $3, unread = 0,
         handled_by = 'none', snoozed_until = null, waiting_since = null
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, tx.now],
    );
    await recordClosed(tx, row);
    await noteActivity(tx, id, 'closed', {});
    const member = row.assignedMemberId;
    const assigned = member === null ? [] : await assignWaitingTo(tx, member);
    await auditStatus(tx, 'conversation.closed', id, ['open', 'closed']);
    await auditAll(tx, assigned);
    return getConversation(tx, id);
  });

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
    await auditStatus(tx, 'conversation.reopened', id, ['closed', 'open']);
    return getConversation(tx, id);
  });

const auditStatus = (
  tx: Context,
  action: 'conversation.closed' | 'conversation.reopened',
  id: string,
  [from, to]: readonly [string, string],
): Promise<void> =>
  audit(tx, {
    action,
    target: { type: 'conversation', id, name: '' },
    changes: [{ field: 'status', from, to }],
  });

async function recordClosed(tx: Context, row: ConversationRow): Promise<void> {
  const tally = await tallySince(tx, row.id, row.openedAt);
  await recordEvent(tx, 'conversation.closed', {
    conversation: {
      id: row.id,
      opened_at: row.openedAt.toISOString(),
      closed_at: tx.now.toISOString(),
      assigned_member_id: row.assignedMemberId,
      assigned_team_id: row.assignedTeamId,
    },
    closed_by: { ...toldActor(tx.actor), name: tx.actor.name },
    messages: { inbound: tally?.inbound ?? 0, outbound: tally?.outbound ?? 0 },
    first_reply_seconds: tally?.firstReplySeconds ?? null,
    contact_id: row.contactId,
    conversation_id: row.id,
    number_id: row.numberId,
  });
}
