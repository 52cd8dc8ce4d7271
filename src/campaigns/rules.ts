import { HOUR_MS } from '../durations.ts';
import { type AppError, invalidState } from '../errors.ts';

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

/** So many contacts may a call name; what is sent again may go to more. */
export const MOST_CONTACT_IDS = 1_000;

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

/** How many have no outcome yet. Those of a cancelled campaign are the sends that its end met under way. */
export const unsettledOf = ({
  pending = 0,
  sending = 0,
}: Partial<Record<RecipientStatus, number>>): number => pending + sending;

/**
 * Which recipients a retry may include. `unconfirmed` ones may get the message twice, so a person must ask for them.
 */
export const RETRIED = ['failed', 'unconfirmed'] as const satisfies readonly RecipientStatus[];
export type RetriedStatus = (typeof RETRIED)[number];

/** Why a campaign is paused (design decisions §6). */
export const PAUSE_REASONS = [
  'member',
  'missed_schedule',
  'number_unavailable',
  'spam_limit',
  'error_rate',
  'opt_out_rate',
  'daily_limit',
  'quota',
  'template_paused',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Which of these a preview foresees. */
export const FORESEEABLE = [
  'daily_limit',
  'number_unavailable',
  'quota',
] as const satisfies readonly PauseReason[];

/** What a `sending` campaign may be waiting for that passes by itself (design decisions §6, `waiting_until`). */
export const WAITING_FOR = ['quiet_hours', 'warm_up'] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

/**
 * What else one may wait for, for moments or minutes: WhatsApp holds its number back, whoever is left waits for another
 * try, or has one that a worker has begun.
 */
export type BatchWait = WaitingFor | 'number' | 'another_try' | 'under_way';

/** Why a person in the audience gets no message at all (design decisions §7). */
export const EXCLUSIONS = [
  'opted_out',
  'no_phone',
  'invalid_phone',
  'duplicate',
  'blocked',
  'no_whatsapp',
  'out_of_window',
  'missing_variable',
  'frequency_cap',
  'left_group',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** The statuses from which each step is allowed (design decisions §6). `done` and `cancelled` are final. */
const STEPS = {
  edit: ['draft'],
  delete: ['draft'],
  send: ['draft'],
  schedule: ['draft'],
  unschedule: ['scheduled'],
  pause: ['sending'],
  resume: ['paused'],
  cancel: ['draft', 'scheduled', 'sending', 'paused'],
  test: ['draft', 'scheduled', 'sending', 'paused'],
  retry: ['done', 'paused'],
} as const satisfies Record<string, readonly CampaignStatus[]>;

export type CampaignStep = keyof typeof STEPS;

/** Null if the step is allowed from this status, otherwise the refusal: 409 `invalid_state`. */
export function refusalOf(step: CampaignStep, status: CampaignStatus): AppError | null {
  const allowed: readonly CampaignStatus[] = STEPS[step];
  return allowed.includes(status) ? null : invalidState(status, allowed);
}

/** Whether the campaign can no longer change. */
export const isFinal = (status: CampaignStatus): boolean =>
  status === 'done' || status === 'cancelled';

const MISSED_AFTER_MS = HOUR_MS;

/** An outage or a restored backup must never cause an unexpected late mailing. */
export const missedSchedule = (sendAt: Date, now: Date): boolean =>
  now.getTime() - sendAt.getTime() > MISSED_AFTER_MS;

export const LAST_SENDS = 50;
const FAILURES_TOO_MANY = 10;

/** `error_rate`: at least 20 % failures among the last 50 (design decisions §6). True is a failure. */
export function failsTooOften(latestFirst: readonly boolean[]): boolean {
  const last = latestFirst.slice(0, LAST_SENDS);
  return last.length === LAST_SENDS && last.filter(Boolean).length >= FAILURES_TOO_MANY;
}

/** How many sends the opt-out rate covers, and how many opt-outs among them are too many: 3 %. */
export const LAST_ASKED = 200;
const OPT_OUTS_TOO_MANY = 6;

/** `opt_out_rate`: at least 3 % of the last 200 opted out (design decisions §6). */
export const optsOutTooOften = (sent: number, optedOut: number): boolean =>
  sent >= LAST_ASKED && optedOut >= OPT_OUTS_TOO_MANY;

/** Why recipients are lost: these are always in the results, others only when they occur (design decisions §7). */
export const REPORTED_REASONS = [
  'no_whatsapp',
  'no_recipient',
  'throttled',
  'out_of_window',
] as const;

/** What the batch activity reports to the workflow: the campaign's progress, and when to continue. */
export interface CampaignProgress {
  readonly stage: CampaignStatus | 'gone';
  /** Milliseconds until there is something to do; 0 for at once. */
  readonly waitMs: number;
  readonly sent: number;
  /** Among those sent. */
  readonly delivered: number;
  readonly lost: number;
  readonly left: number;
  /**
   * Of sending, until the last one, at the present pace; null if nothing limits it. What the campaign waits for in
   * between, such as quiet hours, is not in it: `estimated_finish_at` has that, and asks far more than each batch may.
   */
  readonly minutesToGo: number | null;
  readonly frozen: boolean;
  /** Until the end of `waitMs`; absent or null while waiting for the pace. */
  readonly waitingFor?: BatchWait | null;
}
