import { type Actor, isThroughApp, signatureOf } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { bodyWith } from '../../templates/rules.ts';
import type { MessageSource, MessageTemplate } from '../rules.ts';
import { WAITING_AFTER_AUTOMATION } from '../waiting.ts';
import { LONGEST, truncate } from './lengths.ts';

/** A message to be sent into a conversation: text, a file with an optional caption, or a template. */
export interface OutgoingMessage {
  readonly conversationId: string;
  /** One of the contact's phones, if it is meant for this one; otherwise it goes to the one that wrote. */
  readonly toPhone?: string | null | undefined;
  readonly source: Exclude<MessageSource, 'contact' | 'campaign' | 'phone'>;
  /** The caption, if there is a file. */
  readonly text?: string | undefined;
  /** `med_…` */
  readonly mediaId?: string | undefined;
  readonly template?: MessageTemplate | undefined;
  /** `msg_…` of the same conversation. */
  readonly replyToId?: string | undefined;
  readonly clientRef?: string | undefined;
  readonly automationId?: string | undefined;
  readonly runId?: string | undefined;
  /** Whether an AI model wrote an automation's text: its author is then `ai`, which reports count. */
  readonly byAi?: boolean | undefined;
  /**
   * Who handles the conversation from now on, and nobody waits there any more, except in a queue
   * (`WAITING_AFTER_AUTOMATION`). A conversation handled by a person stays with them.
   */
  readonly handledBy?: 'automation' | 'ai' | undefined;
}

const PRIORITY: Readonly<Record<OutgoingMessage['source'], number>> = {
  member: 0,
  system: 1,
  api: 1,
  automation: 1,
  reminder: 2,
};

/** 0 goes first: people come before automations and the API, and these before reminders. */
export const messagePriority = (source: OutgoingMessage['source']): number => PRIORITY[source];

/**
 * Queues a message in the caller's transaction; it leaves after the commit. Only the conversation is checked: whether
 * the window is open and the person wants messages is up to the caller.
 *
 * @returns the message's id, which is also sent along as the correlation
 * @throws not_found when there is no such conversation
 */
export async function queueMessage(tx: Context, message: OutgoingMessage): Promise<string> {
  const id = newId('msg');
  const { source, template, toPhone = null } = message;
  const params = [
    tx.organizationId,
    id,
    message.conversationId,
    source,
    template ? await wordsOf(tx, message.conversationId, template) : (message.text ?? ''),
    message.mediaId ?? null,
    template ? JSON.stringify(template) : null,
    message.replyToId ?? null,
    message.clientRef ?? null,
    authorOf(tx.actor, message),
    message.automationId ?? null,
    message.runId ?? null,
    tx.now,
    messagePriority(source),
    message.handledBy ?? null,
    toPhone,
    isThroughApp(tx.actor),
  ];
  const kept = await first<{ id: string }>(tx.sql, QUEUE, params, 'queue-message');
  if (!kept) throw notFound('conversation');
  tx.recorded.add('messages');
  return id;
}

/**
 * What the person will read: a template may be changed or deleted later. "" if the number's list does not have it, so that
 * WhatsApp alone knows its words.
 */
async function wordsOf(
  { sql, organizationId }: Context,
  conversationId: string,
  { name, language, parameters }: MessageTemplate,
): Promise<string> {
  const known = await first<{ components: readonly unknown[] }>(
    sql,
    `select t.components from conversations v
     join templates t on t.organization_id = $1 and t.number_id = v.number_id and t.name = $3 and t.language = $4
     where v.organization_id = $1 and v.id = $2`,
    [organizationId, conversationId, name, language],
    'words-of-template',
  );
  return truncate(bodyWith(known?.components ?? [], parameters), LONGEST.text);
}

const authorOf = (actor: Actor, { byAi }: OutgoingMessage): string =>
  JSON.stringify({ ...signatureOf(actor), ...(byAi ? { type: 'ai' } : {}) });

const QUEUE = `
with written as (
  insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text,
    status, source, media_id, media_name, media_type, template, reply_to_id, client_ref, author,
    automation_id, run_id, created_at)
  select $1, $2, v.id, v.number_id, v.contact_id, 'outbound',
    case when $7::jsonb is not null then 'template' else coalesce(f.kind, 'text') end, $5,
    'queued', $4, f.id, coalesce(f.name, ''), coalesce(f.type, ''), $7::jsonb, $8, $9, $10::jsonb,
    $11, $12, $13
  from conversations v left join media f on f.organization_id = $1 and f.id = $6
  where v.organization_id = $1 and v.id = $3
  returning id, number_id, conversation_id
), handled as (
  update conversations set waiting_since = ${WAITING_AFTER_AUTOMATION}, updated_at = $13,
    handled_by = case when handled_by = 'member' then handled_by else $15::text end
  where $15::text is not null and organization_id = $1 and id = $3
    and (waiting_since is not null or handled_by not in ('member', $15::text))
)
insert into outgoing_messages (organization_id, message_id, number_id, conversation_id, to_phone, priority, by_app,
  created_at)
select $1, w.id, w.number_id, w.conversation_id, $16, $14, $17, $13 from written w returning message_id as id`;
