import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { MEDIA_KINDS } from '../gateway/port.ts';
import { newId } from '../ids.ts';
import { expectMedia } from '../media/arriving.ts';
import { windowAfter } from './rules.ts';

/** A person's message on its way into a conversation. */
export interface IncomingMessage {
  readonly numberId: string;
  readonly contactId: string;
  /** WhatsApp's id: unique for a number. */
  readonly providerId: string;
  readonly type: string;
  readonly text: string;
  readonly media: { readonly id: string; readonly name: string; readonly type: string } | null;
  /** WhatsApp's id of the message that this one answers. */
  readonly replyTo: string | null;
  /** When the person wrote it. */
  readonly at: Date;
}

export interface KeptMessage {
  readonly messageId: string;
  readonly conversationId: string;
  /** The team whose queue it waits in; null when it has no team, or somebody has it already. */
  readonly teamId: string | null;
  /** `med_…` of its file; null without one. */
  readonly mediaId: string | null;
}

/** Whether WhatsApp has told us of this message before: it repeats what it thinks was not taken. */
export const isKnown = async (
  { sql, organizationId }: Context,
  numberId: string,
  providerId: string,
): Promise<boolean> => (await idOfProvider({ sql, organizationId }, numberId, providerId)) !== null;

/** The id of the message that WhatsApp knows by this one; null where there is none. */
export async function idOfProvider(
  { sql, organizationId }: Pick<Context, 'sql' | 'organizationId'>,
  numberId: string,
  providerId: string,
): Promise<string | null> {
  const row = await first<{ id: string }>(
    sql,
    'select id from messages where organization_id = $1 and number_id = $2 and provider_id = $3',
    [organizationId, numberId, providerId],
  );
  return row?.id ?? null;
}

/**
 * Keeps a message that is not known yet, in the caller's transaction: the conversation of its number
 * and contact is found, opened again or begun, and its window restarts.
 */
export async function keepMessage(tx: Context, message: IncomingMessage): Promise<KeptMessage> {
  const { id: conversationId, teamId } = await openConversation(tx, message);
  const { replyTo, numberId } = message;
  const replyToId = replyTo === null ? null : await idOfProvider(tx, numberId, replyTo);
  const messageId = newId('msg');
  const mediaId = await fileOf(tx, message, conversationId);
  await tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type,
       text, status, source, media_name, media_type, media_id, reply_to_id, provider_id, created_at)
     values ($1, $2, $3, $4, $5, 'inbound', $6, $7, 'received', 'contact', $8, $9, $10, $11, $12, $13)`,
    [
      tx.organizationId,
      messageId,
      conversationId,
      numberId,
      message.contactId,
      message.type,
      message.text,
      message.media?.name ?? '',
      message.media?.type ?? '',
      mediaId,
      replyToId,
      message.providerId,
      tx.now,
    ],
  );
  return { messageId, conversationId, teamId, mediaId };
}

/** The file of a message, which is fetched then; null without one. */
export async function fileOf(
  tx: Context,
  { media, type, numberId }: Pick<IncomingMessage, 'media' | 'type' | 'numberId'>,
  conversationId: string,
): Promise<string | null> {
  const kind = MEDIA_KINDS.find((known) => known === type);
  if (!media || !kind) return null;
  const { id: providerId, name, type: mediaType } = media;
  return expectMedia(tx, { kind, providerId, name, type: mediaType, numberId, conversationId });
}

/** A message of somebody in a group: nobody's contact, and no window. */
export interface GroupMessage extends Omit<IncomingMessage, 'contactId'> {
  readonly conversationId: string;
  /** The writer's name in WhatsApp, or the phone. */
  readonly writer: string;
}

/** Keeps a group's message in the group's conversation, in the caller's transaction. */
export async function keepGroupMessage(tx: Context, message: GroupMessage): Promise<void> {
  const { conversationId, numberId, replyTo } = message;
  const replyToId = replyTo === null ? null : await idOfProvider(tx, numberId, replyTo);
  const mediaId = await fileOf(tx, message, conversationId);
  await tx.sql.rows(
    `with reached as (
       update conversations set status = 'open', closed_at = null, unread = unread + 1, last_message_at = $12,
         opened_at = case when status = 'closed' then $12 else opened_at end, updated_at = $12
       where organization_id = $1 and id = $3)
     insert into messages (organization_id, id, conversation_id, number_id, direction, type, text, status,
       source, media_name, media_type, media_id, reply_to_id, provider_id, author, created_at)
     values ($1, $2, $3, $4, 'inbound', $5, $6, 'received', 'contact', $7, $8, $9, $10, $11, $13, $12)`,
    [
      tx.organizationId,
      newId('msg'),
      conversationId,
      numberId,
      message.type,
      message.text,
      message.media?.name ?? '',
      message.media?.type ?? '',
      mediaId,
      replyToId,
      message.providerId,
      tx.now,
      JSON.stringify({ type: 'contact', id: null, name: message.writer }),
    ],
  );
}

type Opened = Pick<KeptMessage, 'teamId'> & { readonly id: string };

/** A conversation that begins here goes to the number's default team. */
async function openConversation(tx: Context, message: IncomingMessage): Promise<Opened> {
  const id = newId('cnv');
  const row = await first<Opened>(
    tx.sql,
    `insert into conversations as c (organization_id, id, number_id, contact_id, assigned_team_id, unread,
       opened_at, last_message_at, window_expires_at, waiting_since, created_at, updated_at)
     select n.organization_id, $2, n.id, $4, n.default_team_id, 1, $5, $5, $6, $5, $5, $5
     from numbers n where n.organization_id = $1 and n.id = $3
     on conflict (organization_id, number_id, contact_id) do update set
       status = 'open', closed_at = null,
       opened_at = case when c.status = 'closed' then excluded.opened_at else c.opened_at end,
       unread = c.unread + 1, snoozed_until = null,
       last_message_at = greatest(c.last_message_at, excluded.last_message_at),
       window_expires_at = greatest(c.window_expires_at, excluded.window_expires_at),
       waiting_since = coalesce(c.waiting_since, excluded.waiting_since),
       updated_at = excluded.updated_at
     returning c.id, case when c.assigned_member_id is null then c.assigned_team_id end as "teamId"`,
    [tx.organizationId, id, message.numberId, message.contactId, tx.now, windowAfter(message.at)],
  );
  return row ?? { id, teamId: null };
}
