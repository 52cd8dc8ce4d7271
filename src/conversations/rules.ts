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
 * The status after a report (design decisions §1): reports come late, twice and out of order, so they
 * only raise the rank. `failed` is believed until delivery, and a later delivery heals it.
 */
export function mergeStatus(current: MessageStatus, reported: ReportedStatus): MessageStatus {
  if (current === 'failed')
    return reported === 'delivered' || reported === 'read' ? reported : current;
  const rank = RANK[current];
  if (rank === undefined) return current;
  if (reported === 'failed') return rank <= 3 ? 'failed' : current;
  return (RANK[reported] ?? 0) > rank ? reported : current;
}

/** How far a message came, and when. */
export interface Progress {
  readonly status: MessageStatus;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
}

const latest = (a: Date, b: Date | null): Date => (b && b > a ? b : a);

/** The times of stages that were skipped are filled, and no stage is earlier than the one before it. */
export function advance(before: Progress, reported: ReportedStatus, at: Date): Progress {
  const status = mergeStatus(before.status, reported);
  if (status === before.status || status === 'failed') return { ...before, status };
  const sentAt = before.sentAt ?? at;
  if (status === 'sent') return { ...before, status, sentAt };
  const deliveredAt = before.deliveredAt ?? latest(at, sentAt);
  if (status === 'delivered') return { ...before, status, sentAt, deliveredAt };
  return { status, sentAt, deliveredAt, readAt: before.readAt ?? latest(at, deliveredAt) };
}

const CUSTOMER_SERVICE_WINDOW_MS = 24 * 60 * 60 * 1000;
const EDGE_MS = 2 * 60 * 1000;

/** The window that a person's message opens or restarts (design decisions §22). */
export const windowAfter = (inboundAt: Date): Date =>
  new Date(inboundAt.getTime() + CUSTOMER_SERVICE_WINDOW_MS);

/** Free text stops 2 minutes before the edge: what is sent at the edge may arrive behind it. */
export const insideWindow = (expiresAt: Date | null, now: Date): boolean =>
  expiresAt !== null && expiresAt.getTime() - EDGE_MS > now.getTime();

/** How far a conversation without an answer came since it was given to somebody by hand, or the person wrote. */
export interface Returned {
  readonly hasMember: boolean;
  readonly toMember: boolean;
  readonly toTeam: boolean;
}

/** The next member, then the team, then an alert (design decisions §13). What is with the team has an alert next. */
export function returnStep({
  hasMember,
  toMember,
  toTeam,
}: Returned): 'next_member' | 'team' | 'alert' {
  if (!hasMember || toTeam) return 'alert';
  return toMember ? 'team' : 'next_member';
}
