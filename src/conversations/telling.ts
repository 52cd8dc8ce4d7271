import type { Context } from '../context.ts';
import { recordHappenings } from '../outbox/happenings.ts';
import type { ConversationRow } from './present.ts';

/** Tells automations of a chat with one person that was opened or closed: groups start nothing. */
export const tellAutomations = (
  tx: Context,
  { id, contactId, numberId }: Pick<ConversationRow, 'id' | 'contactId' | 'numberId'>,
  type: 'conversation_closed' | 'conversation_opened',
): Promise<void> =>
  recordHappenings(
    tx,
    contactId === null
      ? []
      : [{ type, contactId, conversationId: id, ref: id, data: { number_id: numberId } }],
  );
