import type { z } from 'zod';
import type { StatusReport } from '../conversations/receiving/statuses.ts';
import { REPORTED_STATUSES, type ReportedStatus } from '../conversations/rules.ts';
import { storable, storableText, UNSTORABLE } from '../db/storable.ts';
import { reasonOf } from '../gateway/cloud-api/classify.ts';
import {
  groupUpdate,
  inboundCall,
  inboundMessage,
  type MessageStatus,
  messageEcho,
  messageStatus,
  messagesValue,
  userPreference,
  type WebhookError,
  webhookEnvelope,
} from '../gateway/cloud-api/wire.ts';
import { type Arrival, arrivalOf } from './messages/arrivals.ts';
import { type Echo, echoOf } from './messages/echoes.ts';
import { momentOf } from './moments.ts';
import { type Call, callOf } from './updates/calls.ts';
import { type GroupNotice, groupNoticeOf } from './updates/groups.ts';
import { type IdentityChange, identityChangeOf } from './updates/identity-changes.ts';
import { type NumberNotice, noticesOf } from './updates/number-notices.ts';
import { type Preference, preferenceOf } from './updates/preferences.ts';

/** What one webhook says about one number. */
export interface Reading {
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  readonly arrivals: readonly Arrival[];
  /** What the business wrote in its own app. */
  readonly echoes: readonly Echo[];
  readonly reports: readonly StatusReport[];
  readonly preferences: readonly Preference[];
  /** People who have another phone or id now. */
  readonly identityChanges: readonly IdentityChange[];
  readonly groups: readonly GroupNotice[];
  readonly calls: readonly Call[];
  /** Codes of problems that concern the whole number. */
  readonly numberErrors: readonly number[];
}

export interface ReadWebhook {
  readonly readings: readonly Reading[];
  /** What it says about numbers themselves. */
  readonly news: readonly NumberNotice[];
  /** Envelopes, changes and items that could not be read, while the rest was. */
  readonly unreadable: number;
}

const FIELDS = [
  'messages',
  'smb_message_echoes',
  'user_preferences',
  'calls',
  'group_lifecycle_update',
  'group_settings_update',
];

/**
 * Reads a stored body layer by layer, so that one strange item does not affect the others. Changes of unknown fields
 * are ignored.
 */
export function readWebhook(body: string, now: Date): ReadWebhook {
  const envelope = webhookEnvelope.safeParse(parse(body));
  if (!envelope.success) return { readings: [], news: [], unreadable: 1 };
  const changes = envelope.data.entry.flatMap(({ id, changes: all }) =>
    all.filter(({ field }) => FIELDS.includes(field)).map(({ value }) => ({ id, value })),
  );
  const readings: Reading[] = [];
  let unreadable = 0;
  for (const { id, value } of changes) {
    const read = readValue(value, id, now);
    unreadable += read.unreadable;
    if (read.reading) readings.push(read.reading);
  }
  const news = envelope.data.entry.flatMap((entry) => noticesOf(entry, now));
  return { readings, news, unreadable };
}

/** PostgreSQL stores neither NUL nor lone surrogates, which can only come escaped; each is replaced. */
const parse = (json: string): unknown =>
  UNSTORABLE.test(json) ? JSON.parse(json, storable) : JSON.parse(json);

function readValue(
  value: unknown,
  businessAccountId: string,
  now: Date,
): { reading: Reading | null; unreadable: number } {
  const parsed = messagesValue.safeParse(value);
  if (!parsed.success) return { reading: null, unreadable: 1 };
  const { metadata, contacts = [], messages, statuses, errors = [] } = parsed.data;
  const written = readEach(inboundMessage, messages, (item) => item);
  const arrivals = written.read.map((item) => arrivalOf(item, contacts, now));
  const identityChanges = written.read.map(identityChangeOf);
  const echoes = readEach(messageEcho, parsed.data.message_echoes, (item) => echoOf(item, now));
  const reports = readEach(messageStatus, statuses, (item) => reportOf(item, now));
  const preferences = readEach(userPreference, parsed.data.user_preferences, (item) =>
    preferenceOf(item, now),
  );
  const groups = readEach(groupUpdate, parsed.data.groups, (item) => groupNoticeOf(item, now));
  const calls = readEach(inboundCall, parsed.data.calls, (item) => callOf(item, now));
  const reading = {
    phoneNumberId: metadata.phone_number_id,
    businessAccountId,
    arrivals: arrivals.filter((arrival) => arrival !== null),
    echoes: echoes.read,
    reports: reports.read,
    preferences: preferences.read,
    identityChanges: identityChanges.filter((change) => change !== null),
    groups: groups.read,
    calls: calls.read,
    numberErrors: errors.map(({ code }) => code),
  };
  const unreadable = [written, echoes, reports, preferences, groups, calls].reduce(
    (total, each) => total + each.unreadable,
    0,
  );
  return { reading, unreadable };
}

/** Each item in our terms. Items that concern no one are left out; those of an unknown shape are counted. */
function readEach<Item, Word>(
  schema: z.ZodType<Item>,
  items: readonly unknown[] = [],
  inOurWords: (item: Item) => Word | null,
): { read: Word[]; unreadable: number } {
  const read: Word[] = [];
  let unreadable = 0;
  for (const item of items) {
    const parsed = schema.safeParse(item);
    const words = parsed.success ? inOurWords(parsed.data) : null;
    if (words !== null) read.push(words);
    if (!parsed.success) unreadable += 1;
  }
  return { read, unreadable };
}

/** Null for a status that says nothing about delivery, such as `played`. */
function reportOf(item: MessageStatus, now: Date): StatusReport | null {
  const { id, status, timestamp, biz_opaque_callback_data: correlation, errors } = item;
  if (!isReported(status)) return null;
  return {
    correlation: correlation ?? null,
    providerId: id,
    status,
    at: momentOf(timestamp, now),
    error: status === 'failed' ? errorOf(errors?.[0]) : null,
  };
}

const isReported = (status: string): status is ReportedStatus =>
  (REPORTED_STATUSES as readonly string[]).includes(status);

function errorOf(error: WebhookError | undefined): NonNullable<StatusReport['error']> {
  if (!error) {
    const message = 'WhatsApp gave no reason.';
    return { reason: 'provider_error', code: 'provider_error', provider_code: null, message };
  }
  const reason = reasonOf(error.code);
  const message = error.error_data?.details ?? error.message ?? error.title ?? '';
  return {
    reason,
    code: reason,
    provider_code: error.code,
    message: storableText(message.slice(0, 500)),
  };
}
