import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { MEDIA_KINDS, type MediaKind } from '../../gateway/port.ts';
import { newId } from '../../ids.ts';
import { expectMedia } from '../../media/arriving.ts';

/** A message that WhatsApp tells us about: from a person, or typed by the business on its phone. */
export interface ReportedMessage {
  readonly numberId: string;
  /** WhatsApp's id, unique per number. */
  readonly providerId: string;
  readonly type: string;
  readonly text: string;
  readonly media: { readonly id: string; readonly name: string; readonly type: string } | null;
  /** WhatsApp's id of the message it replies to. */
  readonly replyTo: string | null;
  /** When it was written. */
  readonly at: Date;
}

interface Place {
  readonly conversationId: string;
  /** Null in a group. */
  readonly contactId: string | null;
  /** Who wrote it in a group; null if the contact did, or someone unknown. */
  readonly writer: string | null;
  /** Typed on the business's phone: it counts as ours, and as sent when it was written. */
  readonly ours: boolean;
}

export interface WrittenMessage {
  readonly messageId: string;
  /** Its file, to be fetched later; null if it has none. */
  readonly media: { readonly type: MediaKind; readonly name: string; readonly id: string } | null;
  /** The message that it answers, reacts to or corrects; null if there is none, or we do not know it. */
  readonly replyToId: string | null;
}

/** Whether WhatsApp has told us about this message before: it repeats webhooks it believes were not accepted. */
export const isKnown = async (
  tx: Context,
  numberId: string,
  providerId: string,
): Promise<boolean> => (await idOfProvider(tx, numberId, providerId)) !== null;

/** Our id of the message with this WhatsApp id, or null. */
async function idOfProvider(
  { sql, organizationId }: Context,
  numberId: string,
  providerId: string,
): Promise<string | null> {
  const row = await first<{ id: string }>(
    sql,
    'select id from messages where organization_id = $1 and number_id = $2 and provider_id = $3',
    [organizationId, numberId, providerId],
    'message-of-provider',
  );
  return row?.id ?? null;
}

/** WhatsApp has told us about this message before. The transaction must be rolled back. */
export class ReportedBefore extends Error {}

/**
 * Writes a message into its conversation, in the caller's transaction.
 *
 * @throws ReportedBefore if it is there already
 */
export async function writeReported(
  tx: Context,
  message: ReportedMessage,
  { conversationId, contactId, writer, ours }: Place,
): Promise<WrittenMessage> {
  const { numberId, replyTo } = message;
  const replyToId = replyTo === null ? null : await idOfProvider(tx, numberId, replyTo);
  const media = await fileOf(tx, message, conversationId);
  const messageId = newId('msg');
  const kept = await tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, status, source,
       type, text, media_name, media_type, media_id, reply_to_id, provider_id, author, sent_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict (organization_id, number_id, provider_id) where provider_id is not null do nothing returning id`,
    [
      tx.organizationId,
      messageId,
      conversationId,
      numberId,
      contactId,
      ...(ours ? ['outbound', 'sent', 'phone'] : ['inbound', 'received', 'contact']),
      message.type,
      message.text,
      message.media?.name ?? '',
      message.media?.type ?? '',
      media?.id ?? null,
      replyToId,
      message.providerId,
      writer === null ? null : JSON.stringify({ type: 'contact', id: null, name: writer }),
      ours ? message.at : null,
      tx.now,
    ],
    'write-told',
  );
  if (kept.length === 0) throw new ReportedBefore();
  return { messageId, media, replyToId };
}

async function fileOf(
  tx: Context,
  { media, type, numberId }: ReportedMessage,
  conversationId: string,
): Promise<WrittenMessage['media']> {
  const kind = MEDIA_KINDS.find((known) => known === type);
  if (!media || !kind) return null;
  const { id: providerId, name, type: mediaType } = media;
  const file = { kind, providerId, name, type: mediaType, numberId, conversationId };
  return { type: kind, name, id: await expectMedia(tx, file) };
}
