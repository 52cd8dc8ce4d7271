import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { assignWaitingTo } from '../members/assigning.ts';
import { eventActor } from '../outbox/actors.ts';
import { recordEvent } from '../outbox/record.ts';
import { noteActivity } from './activities.ts';
import type { ConversationRow } from './present.ts';
import { tallySince } from './queries.ts';
import { tellAutomations } from './telling.ts';

/**
 * Closes an open conversation whose row is locked: records the event and an activity, and gives its member the next
 * waiting conversation.
 */
export async function end(tx: Context, row: ConversationRow): Promise<void> {
  await tx.sql.rows(
    `update conversations set status = 'closed', closed_at = $3, updated_at = $3, unread = 0,
       handled_by = 'none', snoozed_until = null, waiting_since = null
     where organization_id = $1 and id = $2`,
    [tx.organizationId, row.id, tx.now],
  );
  await recordClosed(tx, row);
  await noteActivity(tx, row.id, 'closed', {});
  await tellAutomations(tx, row, 'conversation_closed');
  await audit(tx, {
    action: 'conversation.closed',
    target: { type: 'conversation', id: row.id, name: '' },
    changes: [{ field: 'status', from: 'open', to: 'closed' }],
  });
  if (row.assignedMemberId !== null) await assignWaitingTo(tx, row.assignedMemberId);
}

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
    closed_by: { ...eventActor(tx.actor), name: tx.actor.name },
    messages: { inbound: tally?.inbound ?? 0, outbound: tally?.outbound ?? 0 },
    first_reply_seconds: tally?.firstReplySeconds ?? null,
    contact_id: row.contactId,
    conversation_id: row.id,
    number_id: row.numberId,
  });
}
