import type { Context } from '../context.ts';
import { forgetAnswers } from './answers.ts';
import {
  CONVERSATION_FIGURES,
  conversationRows,
  MESSAGE_FIGURES,
  messageSums,
} from './measures.ts';
import { OF_CONVERSATIONS } from './rows.ts';

/**
 * Keeps what a contact's messages and conversations count for and when, before they are deleted: days are counted anew
 * for a week, begin elsewhere when the time zone changes, and yesterday is compared up to the same time. Nothing of it
 * says who it was, and what they alone asked is kept nowhere.
 */
export async function keepFiguresOf(
  tx: Context,
  { contactId }: { readonly contactId: string },
): Promise<void> {
  const { sql, organizationId } = tx;
  const conversations = await sql.rows<{ id: string }>(
    'select id from conversations where organization_id = $1 and contact_id = $2',
    [organizationId, contactId],
  );
  if (conversations.length === 0) return;
  const ids = conversations.map(({ id }) => id);
  await forgetAnswers(sql, organizationId, ids);
  const params = [organizationId, ids];
  await sql.rows(MESSAGES, params);
  await sql.rows(CONVERSATIONS, params);
}

const MESSAGES = `insert into report_message_remains (organization_id, at, ${MESSAGE_FIGURES})
  select $1, * from (${messageSums(OF_CONVERSATIONS)}) figures`;

const CONVERSATIONS = `insert into report_conversation_remains (organization_id, at, ${CONVERSATION_FIGURES})
  select $1, * from (${conversationRows(OF_CONVERSATIONS)}) figures`;
