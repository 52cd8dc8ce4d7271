import {
  describeChange,
  fold,
  type StatusChange,
  type StatusReport,
  type Tracked,
  trackedUnwritten,
} from '../../conversations/receiving/statuses.ts';
import type { Sql } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import { KEY_LENGTH } from './claims.ts';
import {
  announceWritten,
  isEvent,
  WRITTEN_DOWN,
  type WrittenDown,
  writeDown,
} from './writing-down.ts';

export interface EarlyReports {
  readonly organizationId: string;
  readonly numberId: string;
  readonly now: Date;
}

export interface AppliedEarly {
  readonly changed: readonly StatusChange[];
  /** Reports about other messages. */
  readonly unmatched: readonly StatusReport[];
  /** Contacts that a message reached. */
  readonly reached: readonly string[];
  /** How many facts were recorded. */
  readonly announced: number;
}

/**
 * WhatsApp's reports may be quicker than our record of its answer: the recipient is claimed, but has no message yet.
 * They then settle the recipient themselves, writing the message as far as they bring it.
 *
 * @param reports of one number, each with a correlation that matches no message
 */
export async function settleByReports(
  sql: Sql,
  about: EarlyReports,
  reports: readonly StatusReport[],
): Promise<AppliedEarly> {
  const messages = folded(reports);
  const written = new Map<string, WrittenDown>();
  const settle = async (some: readonly Tracked[]): Promise<void> => {
    for (const row of some.length > 0 ? await settleEarly(sql, about, some) : [])
      written.set(row.id, row);
  };
  await settle(messages);
  // A statement passes over a recipient whose contact was just being merged or deleted; the next one sees the new row.
  await settle(messages.filter(({ row }) => !written.has(row.id)));
  const settled = messages.filter(({ row }) => written.has(row.id));
  return {
    changed: settled.flatMap(describeChange).map((change) => ({
      ...change,
      campaignId: written.get(change.messageId)?.campaignId ?? null,
    })),
    unmatched: reports.filter(({ correlation }) => !written.has(correlation ?? '')),
    reached: settled.flatMap(({ row, now }) =>
      now.deliveredAt === null ? [] : (written.get(row.id)?.contactId ?? []),
    ),
    announced: await announce(sql, about, [...written.values()]),
  };
}

/** In the order of the recipients' ids, as in every transaction that settles them. */
function folded(reports: readonly StatusReport[]): Tracked[] {
  const messages = new Map<string, Tracked>();
  for (const report of reports) {
    const id = report.correlation ?? '';
    const message = messages.get(id) ?? trackedUnwritten(id);
    if (fold(message, report)) messages.set(id, message);
  }
  return [...messages.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
}

async function settleEarly(
  sql: Sql,
  { organizationId, numberId, now }: EarlyReports,
  messages: readonly Tracked[],
): Promise<WrittenDown[]> {
  const errors = messages.map((message) =>
    message.now.status === 'failed' ? (message.last?.error ?? null) : null,
  );
  return writeDown(
    sql,
    SETTLE_EARLY,
    [
      organizationId,
      numberId,
      now,
      messages.map(({ row }) => row.id),
      messages.map((message) => message.now.status),
      messages.map(({ providerId }) => providerId),
      errors.map((error) => error && JSON.stringify(error)),
      errors.map((error) => error?.reason ?? null),
      messages.map((message) => message.now.sentAt),
      messages.map((message) => message.now.deliveredAt),
      messages.map((message) => message.now.readAt),
      messages.map(({ last }) => last?.at ?? now),
      messages.map(() => newId('cnv')),
    ],
    'campaign-settle-early',
  );
}

/** In milliseconds, the precision of JavaScript's times. */
const CLAIMED = `date_trunc('milliseconds', r.claimed_at)`;

/** WhatsApp reports whole seconds, rounded down, but no message may seem to have left before it was claimed. */
const NOT_BEFORE_THE_CLAIM = ['sent_at', 'delivered_at', 'read_at']
  .map((at) => `case when t.${at} is not null then greatest(t.${at}, ${CLAIMED}) end as ${at}`)
  .join(', ');

// A recipient that another transaction is settling right now is left to it.
const SETTLE_EARLY = `
with told as (
  select * from unnest($4::text[], $5::text[], $6::text[], $7::jsonb[], $8::text[], $9::timestamptz[], $10::timestamptz[],
    $11::timestamptz[], $12::timestamptz[], $13::text[])
    t (message_id, status, provider_id, error, reason, sent_at, delivered_at, read_at, at, fresh_place)
), found as (
  select t.*, r.recipient_at, r.author from told t cross join lateral (
    select r.ctid as recipient_at, c.created_by as author from campaign_recipients r
    join campaigns c on c.organization_id = $1 and c.id = r.campaign_id and c.number_id = $2
    where r.organization_id = $1 and r.message_key = right(t.message_id, ${KEY_LENGTH}) and r.message_id = t.message_id
      and r.status = 'sending' limit 1) r
), moved as (
  update campaign_recipients r set status = t.status, reason = t.reason, attempt_token = null,
    settled_at = greatest(t.at, r.claimed_at)
  from found t where r.ctid = t.recipient_at and r.status = 'sending'
  returning r.message_id, r.contact_id, r.group_id, r.campaign_id, t.author, r.text, t.status, t.provider_id, t.error,
    ${NOT_BEFORE_THE_CLAIM}, t.fresh_place
), out as (select * from moved), ${WRITTEN_DOWN}`;

async function announce(
  sql: Sql,
  about: EarlyReports,
  written: readonly WrittenDown[],
): Promise<number> {
  const ids = written.filter(isEvent).map(({ contactId }) => contactId);
  if (ids.length === 0) return 0;
  const people = await sql.rows<{ id: string; name: string; phone: string | null }>(
    'select id, name, phone from contacts where organization_id = $1 and id = any($2)',
    [about.organizationId, ids],
    'campaign-announce-early',
  );
  const byId = new Map(people.map((person) => [person.id, person]));
  return announceWritten(sql, about, written, (contactId) => byId.get(contactId));
}
