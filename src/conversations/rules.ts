import { DAY_MS } from '../durations.ts';
import { WINDOW_MARGIN_MS } from '../numbers/rules.ts';

/** Who answers in a conversation. */
export const HANDLERS = ['none', 'automation', 'ai', 'member'] as const;

export const DIRECTIONS = ['inbound', 'outbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** States of a message (design decisions §1). */
export const MESSAGE_STATUSES = [
  'received',
  'queued',
  'sending',
  'unconfirmed',
  'sent',
  'delivered',
  'read',
  'failed',
  'cancelled',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Who a message comes from: the specification's seven, and the contact for all inbound ones. */
export const MESSAGE_SOURCES = [
  'contact',
  'member',
  'automation',
  'campaign',
  'reminder',
  'api',
  'system',
  'phone',
] as const;
export type MessageSource = (typeof MESSAGE_SOURCES)[number];

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

/** What WhatsApp reports about a message of ours. */
export const REPORTED_STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

const RANK: Readonly<Partial<Record<MessageStatus, number>>> = {
  queued: 0,
  sending: 1,
  unconfirmed: 2,
  sent: 3,
  delivered: 4,
  read: 5,
};

/**
 * The status after a report (design decisions §1). Reports come late, twice and out of order, so they only ever raise
 * the rank. `failed` holds until a later report of delivery overrides it.
 */
export function mergeStatus(current: MessageStatus, reported: ReportedStatus): MessageStatus {
  if (current === 'failed')
    return reported === 'delivered' || reported === 'read' ? reported : current;
  const rank = RANK[current];
  if (rank === undefined) return current;
  if (reported === 'failed') return rank <= 3 ? 'failed' : current;
  return (RANK[reported] ?? 0) > rank ? reported : current;
}

/** How far a message has come, and when. */
export interface Progress {
  readonly status: MessageStatus;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
}

const latest = (a: Date, b: Date | null): Date => (b && b > a ? b : a);

/** Fills in the times of skipped stages; no stage is earlier than the one before it. */
export function advance(before: Progress, reported: ReportedStatus, at: Date): Progress {
  const status = mergeStatus(before.status, reported);
  if (status === before.status || status === 'failed') return { ...before, status };
  const sentAt = before.sentAt ?? at;
  if (status === 'sent') return { ...before, status, sentAt };
  const deliveredAt = before.deliveredAt ?? latest(at, sentAt);
  if (status === 'delivered') return { ...before, status, sentAt, deliveredAt };
  return { status, sentAt, deliveredAt, readAt: before.readAt ?? latest(at, deliveredAt) };
}

/** How long after a person's message free text may be sent (design decisions §22). */
export const CUSTOMER_SERVICE_WINDOW_MS = DAY_MS;

/** The end of the window that a person's message opens or restarts (design decisions §22). */
export const windowAfter = (inboundAt: Date): Date =>
  new Date(inboundAt.getTime() + CUSTOMER_SERVICE_WINDOW_MS);

/** Whether free text may be sent. */
export const insideWindow = (expiresAt: Date | null, now: Date): boolean =>
  expiresAt !== null && expiresAt.getTime() - WINDOW_MARGIN_MS > now.getTime();

/** How far an unanswered conversation has moved since it was assigned by hand or the person last wrote. */
export interface Returned {
  readonly hasMember: boolean;
  readonly toMember: boolean;
  readonly toTeam: boolean;
}

/**
 * The next member, then the team, then an alert (design decisions §13). If it is with the team already, an alert
 * comes next.
 */
export function returnStep({
  hasMember,
  toMember,
  toTeam,
}: Returned): 'next_member' | 'team' | 'alert' {
  if (!hasMember || toTeam) return 'alert';
  return toMember ? 'team' : 'next_member';
}
