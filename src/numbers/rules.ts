import { HOUR_MS, MINUTE_MS } from '../durations.ts';

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

/** How long a message, and a run with something to say, waits for its number to come back (design decisions §8). */
export const NUMBER_PATIENCE_MS = HOUR_MS;

/** Free text stops so long before the window ends, because a message sent at the last moment may arrive too late. */
export const WINDOW_MARGIN_MS = 2 * MINUTE_MS;

/** What a provider can do, except for the window, which each number has or not. */
const CAPABILITIES = {
  cloud_api: { templates: true, groups: true, group_max: 8, read_receipts: true },
  sandbox: { templates: true, groups: true, group_max: 8, read_receipts: true },
  paired: { templates: false, groups: true, group_max: 1024, read_receipts: true },
} as const;

export const capabilitiesOf = (provider: Provider): (typeof CAPABILITIES)[Provider] =>
  CAPABILITIES[provider];

/** Monday first, as in the API. */
export const WEEKDAYS = 7;

/** A number's opening hours on one weekday; `from` and `to` are `HH:MM`. */
export interface DayHours {
  readonly open: boolean;
  readonly from: string;
  readonly to: string;
}

/** Messages a minute that WhatsApp takes from a number of the Cloud API (design decisions §5). */
export const THROUGHPUTS = { standard: 4_800, high: 60_000, shared: 1_200 } as const;

export type Throughput = keyof typeof THROUGHPUTS;

/** How many messages a number sends to all of its groups together per minute, whoever sends them. */
export const GROUP_PACE = 10;

/** A moment by the workspace's clock. */
export interface LocalTime {
  /** 1 Monday to 7 Sunday (ISO 8601). */
  readonly weekday: number;
  /** `HH:MM` */
  readonly time: string;
}

/**
 * Whether a number is open (design decisions §8); conditions call this `now.in_hours`. Null hours mean always open;
 * `from = to` means all day; if `to` is before `from`, the day runs past midnight.
 */
export function inHours(hours: readonly DayHours[] | null, { weekday, time }: LocalTime): boolean {
  if (hours === null) return true;
  const today = hours[weekday - 1];
  const yesterday = hours[(weekday + WEEKDAYS - 2) % WEEKDAYS];
  return (today !== undefined && opensOn(today, time)) || runsInto(yesterday, time);
}

// `HH:MM` strings compare like the times they stand for.
const opensOn = ({ open, from, to }: DayHours, time: string): boolean =>
  open && (from === to || (time >= from && (to < from || time < to)));

const runsInto = (day: DayHours | undefined, time: string): boolean =>
  day?.open === true && day.to < day.from && time < day.to;
