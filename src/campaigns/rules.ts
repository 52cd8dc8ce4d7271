/** States of a campaign (specification, Campaign). */
export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'sending',
  'paused',
  'done',
  'cancelled',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export const CAMPAIGN_TARGETS = ['segment', 'contacts', 'groups', 'pipeline'] as const;
export type CampaignTarget = (typeof CAMPAIGN_TARGETS)[number];

/** Messages per minute: careful, steady, fast, maximum (design decisions §5). */
export const PACES = [10, 60, 600, 4800] as const;

export const RECIPIENT_STATUSES = [
  'pending',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'skipped',
  'unconfirmed',
  'cancelled',
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];
