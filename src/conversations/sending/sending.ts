import type { Actor } from '../../access/actor.ts';
import { requireScope } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import { recordTakeover } from '../../automated/takeovers.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { notFound } from '../../errors.ts';
import { Existing } from '../../http/route.ts';
import { type ConversationRow, presentMessage } from '../present.ts';
import { lockConversation, messageById } from '../queries.ts';
import type { MessageView } from '../schema.ts';
import { waitingAfterOurs } from '../waiting.ts';
import { addresseeOf, conversationOfGroup } from './addressing.ts';
import { requireContent, requireMessage, requireReachable } from './checks.ts';
import { keepClientRef, messageOfClientRef } from './client-refs.ts';
import { queueMessage } from './outgoing.ts';
import type { AddressedMessage, NewMessage } from './schema.ts';

type Answer = MessageView | Existing<MessageView>;

/**
 * Queues a message into a conversation; a repeated `client_ref` returns the first message. Throws 404 for a
 * conversation the actor cannot see, 403 for a group without `groups:write` and `groups.send`, 422 `out_of_window`,
 * `opted_out`, `unknown_media` and `validation`, and 409 `invalid_state` for a group that we left.
 */
export const sendToConversation = (ctx: Context, id: string, body: NewMessage): Promise<Answer> =>
  transact(ctx, async (tx) => {
    const known = await messageOfClientRef(tx, body.client_ref);
    const conversation = await lockConversation(tx, id);
    if (!conversation) throw notFound('conversation');
    return known ? new Existing(known) : queue(tx, conversation, body);
  });

/** Queues a message to a contact, a phone or a group, as `sendToConversation`; a phone that no contact has creates one. */
export const sendToSomebody = (ctx: Context, body: AddressedMessage): Promise<Answer> =>
  transact(ctx, async (tx) => {
    const known = await messageOfClientRef(tx, body.client_ref);
    if (known) return new Existing(known);
    const { conversationId, toPhone } = await addresseeOf(tx, body);
    const conversation = await lockConversation(tx, conversationId);
    if (!conversation) throw notFound('conversation');
    return queue(tx, conversation, body, toPhone);
  });

/** Queues a message to a group by its own id, as `sendToConversation`: needs `groups:write` and `groups.send`. */
export const sendToGroup = (ctx: Context, groupId: string, body: NewMessage): Promise<Answer> =>
  transact(ctx, async (tx) => {
    const known = await messageOfClientRef(tx, body.client_ref);
    const conversationId = await conversationOfGroup(tx, groupId);
    const conversation =
      conversationId === null ? null : await lockConversation(tx, conversationId);
    if (!conversation) throw notFound('group');
    return known ? new Existing(known) : queue(tx, conversation, body);
  });

async function queue(
  tx: Context,
  conversation: ConversationRow,
  body: NewMessage,
  toPhone?: string,
): Promise<MessageView> {
  // Checked whichever route is used; otherwise the groups' scope could be bypassed.
  if (conversation.groupId !== null) requireScope(tx.actor, 'groups:write');
  await requireReachable(tx, conversation, { ...body, toPhone });
  await requireContent(tx, conversation, body);
  if (body.reply_to_id !== undefined)
    await requireMessage(tx, conversation.id, 'reply_to_id', body.reply_to_id);
  const source = sourceOf(tx.actor);
  const id = await queueMessage(tx, {
    conversationId: conversation.id,
    toPhone,
    source,
    text: body.text,
    mediaId: body.media_id,
    template: body.template,
    replyToId: body.reply_to_id,
    clientRef: body.client_ref,
  });
  await keepClientRef(tx, body.client_ref, id);
  await answered(tx, conversation, source);
  const row = await messageById(tx, id);
  if (!row) throw notFound('message');
  // Texts never enter the log.
  await audit(tx, { action: 'message.queued', target: { type: 'message', id, name: '' } });
  return presentMessage(row);
}

const sourceOf = ({ type }: Actor): 'member' | 'api' | 'system' => {
  if (type === 'member') return 'member';
  return type === 'service_account' ? 'api' : 'system';
};

/** Nobody waits here any more (`waitingAfterOurs`); a person's answer also ends the automations here. */
async function answered(
  tx: Context,
  { id }: ConversationRow,
  source: 'member' | 'api' | 'system',
): Promise<void> {
  if (source === 'system') return;
  const memberId = source === 'member' ? tx.actor.id : null;
  await tx.sql.rows(
    `update conversations set waiting_since = ${waitingAfterOurs('$4')}, updated_at = $3,
       unread = case when $4::text is not null then 0 else unread end,
       handled_by = case when $4::text is not null then 'member' else handled_by end
     where organization_id = $1 and id = $2`,
    [tx.organizationId, id, tx.now, memberId],
  );
  if (memberId !== null) await recordTakeover(tx, id);
}
