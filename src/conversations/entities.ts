import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { Direction, MessageSource, MessageStatus } from './rules.ts';

/** One for each number and contact, and one for each number and group. */
export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    numberId: p.text(),
    contactId: p.text().nullable(),
    groupId: p.text().nullable(),
    status: p.text().$type<'open' | 'closed'>(),
    assignedMemberId: p.text().nullable(),
    assignedTeamId: p.text().nullable(),
    unread: p.integer(),
    handledBy: p.text().$type<'none' | 'automation' | 'ai' | 'member'>(),
    openedAt: p.datetime(),
    closedAt: p.datetime().nullable(),
    lastMessageAt: p.datetime().nullable(),
    lastOutboundAt: p.datetime().nullable(),
    windowExpiresAt: p.datetime().nullable(),
    unwrittenUntil: p.datetime().nullable(),
    wroteFrom: p.text().nullable(),
    snoozedUntil: p.datetime().nullable(),
    waitingSince: p.datetime().nullable(),
    /** The last automated message that was being sent when a person took over: none up to it is tried again. */
    silencedThrough: p.text().nullable(),
    updatedAt: p.datetime(),
  },
});

/** An approved template and its parameters (design decisions §1). */
export interface MessageTemplate {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
}

/** Why a message did not arrive: `reason` is our code, `provider_code` is WhatsApp's. */
export interface MessageError {
  readonly reason: string;
  readonly code: string;
  readonly provider_code: number | null;
  readonly message: string;
}

export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    conversationId: p.text(),
    numberId: p.text(),
    contactId: p.text().nullable(),
    direction: p.text().$type<Direction>(),
    type: p.text(),
    text: p.text(),
    status: p.text().$type<MessageStatus>(),
    source: p.text().$type<MessageSource>(),
    mediaName: p.text(),
    mediaType: p.text(),
    mediaId: p.text().nullable(),
    replyToId: p.text().nullable(),
    clientRef: p.text().nullable(),
    author: p.json<{ type: string; id: string | null; name: string }>().nullable(),
    campaignId: p.text().nullable(),
    automationId: p.text().nullable(),
    runId: p.text().nullable(),
    reminderId: p.text().nullable(),
    providerId: p.text().nullable(),
    sentAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
    readAt: p.datetime().nullable(),
    error: p.json<MessageError>().nullable(),
    template: p.json<MessageTemplate>().nullable(),
  },
});

export type Conversation = InferEntity<typeof Conversation>;
export type Message = InferEntity<typeof Message>;
