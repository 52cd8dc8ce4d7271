import { noteReached } from '../../contacts/reaching.ts';
import type { Sql } from '../../db/sql.ts';
import { STAMP_MS } from '../../gateway/port.ts';
import { forgetUploads } from '../../media/uploading.ts';
import { insertFacts } from '../../outbox/record.ts';
import { recordLosses } from '../losses.ts';
import { advance, type MessageError, type Progress, type ReportedStatus } from '../rules.ts';
import { eventColumns, messageSent, type SentMessage } from './announcing.ts';

/** One status webhook item about a message of ours. */
export interface StatusReport {
  /** The message id that we sent along (`biz_opaque_callback_data`); null if WhatsApp did not return it. */
  readonly correlation: string | null;
  /** WhatsApp's own id, `wamid.…`. */
  readonly providerId: string;
  readonly status: ReportedStatus;
  readonly at: Date;
  /** Given with `failed`. */
  readonly error: MessageError | null;
}

/** A message whose status changed. */
export interface StatusChange {
  readonly messageId: string;
  readonly campaignId: string | null;
  readonly status: ReportedStatus;
  /** Why it was lost; null unless `failed`. */
  readonly reason: string | null;
  /** WhatsApp's code of the loss; null unless `failed`. */
  readonly code: number | null;
  readonly at: Date;
}

/** The result of applying one number's reports. */
export interface AppliedStatuses {
  readonly changed: readonly StatusChange[];
  /** Losses that were known before: who heard of them may have died before acting on them. */
  readonly repeated: readonly StatusChange[];
  /** Reports whose ids match no message of this number. */
  readonly unmatched: readonly StatusReport[];
  /** How many `message.sent` facts were recorded; if any, the caller wakes the relay after its commit. */
  readonly announced: number;
}

interface Row extends Progress {
  id: string;
  providerId: string | null;
  campaignId: string | null;
  /** Null for a group's. */
  contactId: string | null;
  createdAt: Date;
}

/** A message, and how far the reports move it. */
export interface Tracked {
  readonly row: Row;
  now: Progress;
  providerId: string | null;
  last: StatusReport | null;
}

const tracked = (row: Row): Tracked => ({ row, now: row, providerId: row.providerId, last: null });

/** A message being sent whose row is not written yet. */
export const trackedUnwritten = (id: string): Tracked =>
  tracked({
    ...UNREPORTED,
    id,
    providerId: null,
    campaignId: null,
    contactId: null,
    createdAt: EVER,
  });

const EVER = new Date(0);
const UNREPORTED: Progress = { status: 'sending', sentAt: null, deliveredAt: null, readAt: null };

/**
 * Applies many reports of one number in a few statements, in the caller's transaction. Reports may repeat and come in
 * any order; each message is only ever raised, to the furthest of them. A message that reaches `sent` or further for
 * the first time is announced here: setting `sent_at`, which happens once, decides who announces it.
 */
export async function applyStatuses(
  sql: Sql,
  organizationId: string,
  numberId: string,
  reports: readonly StatusReport[],
): Promise<AppliedStatuses> {
  const byProviderId = await namedByProvider(sql, organizationId, numberId, reports);
  const idOf = (report: StatusReport): string | undefined =>
    report.correlation ?? byProviderId.get(report.providerId);
  const ids = [...new Set(reports.flatMap((report) => idOf(report) ?? []))];
  const messages = await lockMessages(sql, organizationId, numberId, ids);
  const unmatched: StatusReport[] = [];
  const repeated: StatusChange[] = [];
  for (const report of reports) {
    const message = messages.get(idOf(report) ?? '');
    if (!message || !fold(message, report)) unmatched.push(report);
    else if (message.row.status === 'failed' && report.status === 'failed')
      repeated.push(changeOf(message.row, report));
  }
  const touched = [...messages.values()].filter(
    ({ row, now, providerId }) => now !== row || providerId !== row.providerId,
  );
  await save(sql, organizationId, touched);
  const firstSent = touched.filter(({ row, now }) => row.sentAt === null && now.sentAt !== null);
  const announced = await announce(sql, organizationId, firstSent);
  await recordLosses(sql, organizationId, touched.flatMap(lost));
  await forgetUploads(sql, organizationId, touched.filter(byItsFile).flatMap(lost));
  for (const [by, own] of Map.groupBy(touched, sender))
    await noteReached(sql, organizationId, own.flatMap(reached), by);
  return { changed: touched.flatMap(describeChange), repeated, unmatched, announced };
}

/** Whether the message has just reached the person: WhatsApp does not always report `delivered` before `read`. */
const reached = ({ row, now }: Tracked): string[] =>
  row.deliveredAt === null && now.deliveredAt !== null && row.contactId !== null
    ? [row.contactId]
    : [];

const sender = ({ row }: Tracked): 'campaign' | 'message' =>
  row.campaignId === null ? 'message' : 'campaign';

const lost = ({ row, now }: Tracked): string[] =>
  now.status === 'failed' && row.status !== 'failed' ? [row.id] : [];

const byItsFile = ({ last }: Tracked): boolean => last?.error?.reason === 'media_invalid';

/** Matches reports without our correlation by WhatsApp's id, which is known once the send was answered. */
async function namedByProvider(
  sql: Sql,
  organizationId: string,
  numberId: string,
  reports: readonly StatusReport[],
): Promise<Map<string, string>> {
  const unnamed = reports.filter(({ correlation }) => correlation === null);
  if (unnamed.length === 0) return new Map();
  const rows = await sql.rows<{ id: string; provider_id: string }>(
    `select id, provider_id from messages
     where organization_id = $1 and number_id = $2 and provider_id = any($3)`,
    [organizationId, numberId, unnamed.map(({ providerId }) => providerId)],
    'statuses-by-provider-id',
  );
  return new Map(rows.map((row) => [row.provider_id, row.id]));
}

/** Locks in the order of ids, so that two batches over the same messages cannot deadlock. */
async function lockMessages(
  sql: Sql,
  organizationId: string,
  numberId: string,
  ids: readonly string[],
): Promise<Map<string, Tracked>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.rows<Row>(
    `select id, provider_id as "providerId", campaign_id as "campaignId",
       contact_id as "contactId", status,
       created_at as "createdAt", sent_at as "sentAt", delivered_at as "deliveredAt", read_at as "readAt"
     from messages
     where organization_id = $1 and id = any($2) and number_id = $3 and direction = 'outbound'
     order by id for update`,
    [organizationId, ids, numberId],
    'statuses-lock',
  );
  return new Map(rows.map((row) => [row.id, tracked(row)]));
}

/** A report of the second in which the message was made came after that. */
const momentOf = ({ at }: StatusReport, { createdAt }: Row): Date =>
  at < createdAt && createdAt.getTime() - at.getTime() < STAMP_MS ? createdAt : at;

/**
 * @returns false if the report is about a different WhatsApp message than the one we know
 */
export function fold(message: Tracked, report: StatusReport): boolean {
  if (message.providerId !== null && message.providerId !== report.providerId) return false;
  message.providerId = report.providerId;
  const next = advance(message.now, report.status, momentOf(report, message.row));
  if (next.status === message.now.status) return true;
  message.now = next;
  message.last = report;
  return true;
}

async function save(sql: Sql, organizationId: string, touched: readonly Tracked[]): Promise<void> {
  if (touched.length === 0) return;
  const errorOf = ({ row, now, last }: Tracked): string | null =>
    now.status === 'failed' && now !== row && last?.error ? JSON.stringify(last.error) : null;
  await sql.rows(
    `update messages m set status = u.status, provider_id = u.provider_id, sent_at = u.sent_at,
       delivered_at = u.delivered_at, read_at = u.read_at,
       error = case when u.status = m.status then m.error else u.error::jsonb end
     from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[],
       $7::timestamptz[], $8::text[]) u (id, status, provider_id, sent_at, delivered_at, read_at, error)
     where m.organization_id = $1 and m.id = u.id`,
    [
      organizationId,
      touched.map(({ row }) => row.id),
      touched.map(({ now }) => now.status),
      touched.map(({ providerId }) => providerId),
      touched.map(({ now }) => now.sentAt),
      touched.map(({ now }) => now.deliveredAt),
      touched.map(({ now }) => now.readAt),
      touched.map(errorOf),
    ],
    'statuses-save',
  );
}

/** The facts about a message whose row the last status moved; none if it did not. */
export const describeChange = ({ row, now, last }: Tracked): StatusChange[] =>
  now === row || !last ? [] : [changeOf(row, last)];

function changeOf({ id, campaignId }: Row, { status, at, error }: StatusReport): StatusChange {
  const { reason = null, provider_code: code = null } = (status === 'failed' && error) || {};
  return { messageId: id, campaignId, status, reason, code, at };
}

const ANNOUNCE = `
with told as (
  select m.id, m.conversation_id, t.sent_at
  from unnest($2::text[], $3::timestamptz[]) t (id, sent_at)
  join messages m on m.organization_id = $1 and m.id = t.id
), reached as (
  update conversations v set last_message_at = greatest(v.last_message_at, t.sent_at),
    last_outbound_at = greatest(v.last_outbound_at, t.sent_at)
  from told t where v.organization_id = $1 and v.id = t.conversation_id
)
select m.id, m.text, ${eventColumns('m')}, m.source, m.number_id as "numberId", m.conversation_id as "conversationId",
  m.contact_id as "contactId", c.name, c.phone
from told t join messages m on m.organization_id = $1 and m.id = t.id
join contacts c on c.organization_id = $1 and c.id = m.contact_id`;

/**
 * Records `message.sent` once per message (design decisions §16). Messages to groups have no contact and no such
 * event.
 */
async function announce(
  sql: Sql,
  organizationId: string,
  firstSent: readonly Tracked[],
): Promise<number> {
  if (firstSent.length === 0) return 0;
  const rows = await sql.rows<SentMessage>(
    ANNOUNCE,
    [organizationId, firstSent.map(({ row }) => row.id), firstSent.map(({ now }) => now.sentAt)],
    'statuses-announce',
  );
  const sentAt = new Map(firstSent.map(({ row, now }) => [row.id, now.sentAt]));
  const facts = rows.map((row) =>
    messageSent(organizationId, row, sentAt.get(row.id) ?? new Date(0)),
  );
  await insertFacts(sql, organizationId, facts);
  return facts.length;
}
