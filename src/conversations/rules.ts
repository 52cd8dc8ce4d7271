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
