export const PROVIDERS = ['cloud_api', 'paired', 'sandbox'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** States of a number (specification, Number). */
export const NUMBER_STATUSES = [
  'provisioning',
  'awaiting_pairing',
  'connected',
  'degraded',
  'disconnected',
  'suspended',
  'error',
] as const;
export type NumberStatus = (typeof NUMBER_STATUSES)[number];

/** Only these two can send; leaving them pauses campaigns (design decisions §8). */
export const canSend = (status: NumberStatus): boolean =>
  status === 'connected' || status === 'degraded';
