import { isPersonal } from '../access/actor.ts';
import type { ReadContext } from '../context.ts';
import { canSend, type NumberStatus } from '../numbers/rules.ts';
import type { Conversation, Message } from './entities.ts';
import { insideWindow } from './rules.ts';
import type { ConversationView, MessageView } from './schema.ts';

/** An entity's columns as SQL returns them: empty columns are null, none is missing. */
type Columns<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** A conversation row, with what its number and contact say about replying. */
export interface ConversationRow
  extends Pick<
    Columns<Conversation>,
    | 'id'
    | 'status'
    | 'numberId'
    | 'contactId'
    | 'groupId'
    | 'assignedMemberId'
    | 'assignedTeamId'
    | 'unread'
    | 'handledBy'
    | 'openedAt'
    | 'closedAt'
    | 'lastMessageAt'
    | 'windowExpiresAt'
    | 'snoozedUntil'
    | 'waitingSince'
    | 'createdAt'
  > {
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

export type MessageRow = Omit<Columns<Message>, 'organizationId' | 'numberId' | 'providerId'>;

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
