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

/** What a provider can do, apart from the window, which is each number's own. */
const CAPABILITIES = {
  cloud_api: { templates: true, groups: true, group_max: 8, read_receipts: true },
  sandbox: { templates: true, groups: true, group_max: 8, read_receipts: true },
  paired: { templates: false, groups: true, group_max: 1024, read_receipts: true },
} as const;

export const capabilitiesOf = (provider: Provider): (typeof CAPABILITIES)[Provider] =>
  CAPABILITIES[provider];
