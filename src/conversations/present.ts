import { isPersonal } from '../access/actor.ts';
import type { ReadContext } from '../context.ts';
import { canSend, type NumberStatus } from '../numbers/rules.ts';
import {
  type Direction,
  insideWindow,
  type MessageError,
  type MessageSource,
  type Progress,
} from './rules.ts';
import type { ConversationView, MessageView } from './schema.ts';

/** A conversation row, with what its number and contact say about replying. */
export interface ConversationRow {
  readonly id: string;
  readonly status: ConversationView['status'];
  readonly numberId: string;
  readonly contactId: string | null;
  readonly groupId: string | null;
  readonly assignedMemberId: string | null;
  readonly assignedTeamId: string | null;
  readonly unread: number;
  readonly handledBy: ConversationView['handled_by'];
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly lastMessageAt: Date | null;
  readonly windowExpiresAt: Date | null;
  readonly snoozedUntil: Date | null;
  readonly waitingSince: Date | null;
  readonly createdAt: Date;
  /** False for a group, whatever its number has. */
  readonly hasWindow: boolean;
  readonly numberStatus: NumberStatus;
  readonly blocked: boolean;
  readonly optedOut: boolean;
  /** Whether the contact has an address to write to; true for a group. */
  readonly reachable: boolean;
  readonly leftGroup: boolean;
}

type Asking = Pick<ReadContext, 'actor' | 'now'>;

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

export function presentConversation(row: ConversationRow, asking: Asking): ConversationView {
  return {
    id: row.id,
    status: row.status,
    number_id: row.numberId,
    contact_id: row.contactId,
    group_id: row.groupId,
    assigned_member_id: row.assignedMemberId,
    assigned_team_id: row.assignedTeamId,
    unread: row.unread,
    created_at: row.createdAt.toISOString(),
    last_message_at: iso(row.lastMessageAt),
    closed_at: iso(row.closedAt),
    window_expires_at: row.hasWindow ? iso(row.windowExpiresAt) : null,
    can_reply: canReply(row, asking),
    handled_by: row.handledBy,
    snoozed_until: iso(row.snoozedUntil),
    waiting_since: iso(row.waitingSince),
  };
}

/** Whether free text from who asks would be accepted and leave right now. */
const canReply = (row: ConversationRow, { actor, now }: Asking): boolean =>
  canSend(row.numberStatus) &&
  !row.blocked &&
  row.reachable &&
  (!row.optedOut || isPersonal(actor)) &&
  !row.leftGroup &&
  (!row.hasWindow || insideWindow(row.windowExpiresAt, now));

export interface MessageRow extends Progress {
  readonly id: string;
  readonly direction: Direction;
  readonly text: string;
  readonly source: MessageSource;
  readonly mediaName: string;
  readonly mediaType: string;
  readonly createdAt: Date;
  readonly conversationId: string;
  readonly contactId: string | null;
  readonly type: string;
  readonly mediaId: string | null;
  readonly replyToId: string | null;
  readonly clientRef: string | null;
  readonly author: MessageView['author'];
  readonly campaignId: string | null;
  readonly automationId: string | null;
  readonly runId: string | null;
  readonly reminderId: string | null;
  readonly error: MessageError | null;
}

export function presentMessage(row: MessageRow): MessageView {
  return {
    id: row.id,
    direction: row.direction,
    text: row.text,
    status: row.status,
    source: row.source,
    media_name: row.mediaName,
    media_type: row.mediaType,
    created_at: row.createdAt.toISOString(),
    conversation_id: row.conversationId,
    contact_id: row.contactId,
    type: row.type,
    media_id: row.mediaId,
    reply_to_id: row.replyToId,
    client_ref: row.clientRef,
    author: row.author,
    campaign_id: row.campaignId,
    automation_id: row.automationId,
    run_id: row.runId,
    reminder_id: row.reminderId,
    sent_at: iso(row.sentAt),
    delivered_at: iso(row.deliveredAt),
    read_at: iso(row.readAt),
    error: row.error,
  };
}
