import type { Context } from '../../../src/context.ts';
import type { MessageSource, MessageStatus } from '../../../src/conversations/rules.ts';
import { newId } from '../../../src/ids.ts';
import { rowsOf } from '../rows-of.ts';

export interface Pair {
  readonly numberId: string;
  readonly contactId: string;
}

/** An open conversation of a number and a contact, begun at `ctx.now`. */
export async function aConversation(ctx: Context, { numberId, contactId }: Pair): Promise<string> {
  const id = newId('cnv');
  await rowsOf(
    ctx,
    `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at)
       values ($1, $2, $3, $4, $5, $5)`,
    [ctx.organizationId, id, numberId, contactId, ctx.now],
  );
  return id;
}

export interface MessageWishes extends Pair {
  readonly conversationId: string;
  readonly count?: number;
  readonly status?: MessageStatus;
  readonly source?: Exclude<MessageSource, 'contact'>;
  readonly sentAt?: Date | null;
  readonly createdAt?: Date;
}

/** Outbound messages, `sending` unless told; the ids ascend. */
export async function someMessages(ctx: Context, wishes: MessageWishes): Promise<string[]> {
  const ids = Array.from({ length: wishes.count ?? 1 }, () => newId('msg'));
  await rowsOf(
    ctx,
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type,
         text, status, source, sent_at, created_at)
       select $1, id, $3, $4, $5, 'outbound', 'text', 'Olá!', $6, $7, $8, $9 from unnest($2::text[]) id`,
    [
      ctx.organizationId,
      ids,
      wishes.conversationId,
      wishes.numberId,
      wishes.contactId,
      wishes.status ?? 'sending',
      wishes.source ?? 'api',
      wishes.sentAt ?? null,
      wishes.createdAt ?? ctx.now,
    ],
  );
  return ids;
}
