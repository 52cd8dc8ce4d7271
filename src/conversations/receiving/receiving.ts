import { unwritten } from '../../automated/answers.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import { windowAfter } from '../rules.ts';
import { type ReportedMessage, type WrittenMessage, writeReported } from './reported.ts';

/** A person's message about to be stored in a conversation. */
export interface IncomingMessage extends ReportedMessage {
  readonly contactId: string;
  /** The phone that it comes from, or WhatsApp's id of a person who hides it. */
  readonly wroteFrom?: string | null;
}

/** An inbound message that was stored, and what it affected. */
export interface KeptMessage extends WrittenMessage {
  readonly conversationId: string;
  /** The team in whose queue it waits; null if it has no team or someone has it already. */
  readonly teamId: string | null;
  /** Whether the message created or reopened the conversation. */
  readonly opened: boolean;
  /** Whether the person had written there before, also what the plan no longer keeps. */
  readonly wroteBefore: boolean;
  /** The pipeline stage for people new to this number; null if the number has none. */
  readonly stageId: string | null;
}

/** Editing or deleting an earlier message, or taking back a reaction, is no new message and answers nothing. */
export const isAside = ({ type, text }: Pick<ReportedMessage, 'type' | 'text'>): boolean =>
  type === 'edit' || (type === 'reaction' && text === '');

/**
 * Stores a message that is not known yet, in the caller's transaction: finds, reopens or creates the conversation of
 * its number and contact, and restarts its window.
 */
export async function keepMessage(tx: Context, message: IncomingMessage): Promise<KeptMessage> {
  const { id: conversationId, ...talk } = await meetInConversation(tx, message);
  const { contactId } = message;
  const place = { conversationId, contactId, writer: null, ours: false };
  return { ...(await writeReported(tx, message, place)), ...talk, conversationId };
}

/**
 * Stores what corrects or deletes an earlier message, or takes a reaction back, in the caller's transaction. It is no new message
 * and asks for no answer: the conversation and its window stay as they were. Null, with nothing stored, if nothing was
 * said yet.
 */
export async function keepAside(
  tx: Context,
  message: IncomingMessage,
): Promise<KeptMessage | null> {
  const { numberId, contactId } = message;
  const row = await first<{ id: string }>(
    tx.sql,
    `update conversations set updated_at = $4
     where organization_id = $1 and number_id = $2 and contact_id = $3 and last_message_at is not null returning id`,
    [tx.organizationId, numberId, contactId, tx.now],
  );
  if (!row) return null;
  const place = { conversationId: row.id, contactId, writer: null, ours: false };
  const written = await writeReported(tx, message, place);
  return { ...written, ...NOTHING_ELSE, conversationId: row.id };
}

/**
 * A person who calls may be answered for 24 hours, in a conversation that there is already. They have written nothing:
 * it is neither opened nor waiting.
 *
 * @param from the phone that called, or WhatsApp's id of a person who hides it
 */
export async function reopenWindow(
  tx: Context,
  { numberId, contactId }: { readonly numberId: string; readonly contactId: string },
  from: string | null,
  at: Date,
): Promise<void> {
  await tx.sql.rows(
    `update conversations set window_expires_at = $4, wrote_from = $5, updated_at = $6,
       unwritten_until = case when ${unwritten('conversations')} then $4 end
     where organization_id = $1 and number_id = $2 and contact_id = $3 and coalesce(window_expires_at < $4, true)`,
    [tx.organizationId, numberId, contactId, windowAfter(at), from, tx.now],
    'window-of-call',
  );
}

/** A message from someone in a group: it has no contact and no window. */
export interface GroupMessage extends ReportedMessage {
  readonly conversationId: string;
  /** The writer's name in WhatsApp, otherwise the phone. */
  readonly writer: string;
}

/** Stores a group's message in the group's conversation, in the caller's transaction. */
export async function keepGroupMessage(tx: Context, message: GroupMessage): Promise<void> {
  const { conversationId, writer } = message;
  await tx.sql.rows(
    isAside(message)
      ? 'update conversations set updated_at = $3 where organization_id = $1 and id = $2'
      : `update conversations set status = 'open', closed_at = null, unread = unread + 1, last_message_at = $3,
       opened_at = case when status = 'closed' then $3 else opened_at end, updated_at = $3
     where organization_id = $1 and id = $2`,
    [tx.organizationId, conversationId, tx.now],
  );
  await writeReported(tx, message, { conversationId, contactId: null, writer, ours: false });
}

type Affected = Pick<KeptMessage, 'teamId' | 'opened' | 'wroteBefore' | 'stageId'>;
type Opened = Affected & { readonly id: string };

const NOTHING_ELSE: Affected = { teamId: null, opened: false, wroteBefore: true, stageId: null };

/** The conversation that the message belongs to; a new one goes to the number's default team. */
async function meetInConversation(tx: Context, message: IncomingMessage): Promise<Opened> {
  const id = newId('cnv');
  const until = windowAfter(message.at);
  const row = await first<Opened>(
    tx.sql,
    `with talk as (
     insert into conversations as c (organization_id, id, number_id, contact_id, assigned_team_id, unread,
       opened_at, last_message_at, window_expires_at, unwritten_until, wrote_from, waiting_since, created_at, updated_at)
     select n.organization_id, $2, n.id, $4, n.default_team_id, 1, $5, $5, $6, $7, $8, $5, $5, $5
     from numbers n where n.organization_id = $1 and n.id = $3
     on conflict (organization_id, number_id, contact_id) do update set
       status = 'open', closed_at = null,
       opened_at = case when c.status = 'closed' then excluded.opened_at else c.opened_at end,
       unread = c.unread + 1, snoozed_until = null,
       last_message_at = greatest(c.last_message_at, excluded.last_message_at),
       window_expires_at = greatest(c.window_expires_at, excluded.window_expires_at),
       unwritten_until = case when excluded.unwritten_until is not null
         and ${unwritten('c')}
         then greatest(c.window_expires_at, excluded.window_expires_at) end,
       wrote_from = case when c.window_expires_at > excluded.window_expires_at
         then c.wrote_from else excluded.wrote_from end,
       waiting_since = coalesce(c.waiting_since, excluded.waiting_since),
       updated_at = excluded.updated_at
     returning c.id, case when c.assigned_member_id is null then c.assigned_team_id end as "teamId",
       coalesce(old.status, 'closed') <> 'open' as opened, not (${unwritten('old')}) as "wroteBefore")
     select t.*, n.stage_id as "stageId" from talk t join numbers n on n.organization_id = $1 and n.id = $3`,
    [
      tx.organizationId,
      id,
      message.numberId,
      message.contactId,
      tx.now,
      until,
      isAside(message) ? until : null,
      message.wroteFrom ?? null,
    ],
    'conversation-of-message',
  );
  return row ?? { ...NOTHING_ELSE, id };
}
