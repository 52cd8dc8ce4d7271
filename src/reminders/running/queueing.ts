import { reachable } from '../../contacts/reaching.ts';
import type { Context } from '../../context.ts';
import type { Pair } from '../../conversations/sending/opening.ts';
import { queueTexts } from '../../conversations/sending/outgoing-many.ts';
import { canSend } from '../../numbers/rules.ts';
import { GRACE_MS } from '../rules.ts';
import { type Decision, decided, opened, type Place } from './deciding.ts';
import { type GroupPlace, judge, judgeGroup, type Offer, type Person } from './judging.ts';
import { knowPhone } from './phones.ts';
import { numberOf, type OpenRun, type Standing } from './state.ts';

/** How many messages of one run wait in the queue at once; a cancellation leaves the others out. */
export const ROOM = 200;

/**
 * Queues the next recipients, or passes over them with a reason, in the caller's transaction. While the number is
 * down no one is queued; once it has been down for an hour, the rest fails.
 *
 * @returns how many messages were queued; null while everything waits for the number
 */
export async function queueNext(
  tx: Context,
  reminder: Standing,
  run: OpenRun,
  limit: number,
): Promise<number | null> {
  const { number_id: numberId, target, text, transactional } = run.content;
  const number = await numberOf(tx, numberId);
  if (!number || !canSend(number.status))
    return giveUp(tx, reminder.id, run, number?.downSince ?? null);
  const toPhone = target === 'phone' ? await knowPhone(tx, reminder, run) : null;
  const offer = { text, toPhone, transactional, hasWindow: number.hasWindow, now: tx.now };
  const judged =
    target === 'group'
      ? await groupsOf(tx, reminder.id, run, limit)
      : await opened(tx, await peopleOf(tx, reminder.id, run, { limit, offer }));
  const reminded = { id: reminder.id, transactional };
  const settled = judged.map((one): Settled => ({ key: one.key, ...decided(reminded, one) }));
  const texts = settled.flatMap(({ message }) => message ?? []);
  await queueTexts(tx, texts);
  await settle(tx, reminder.id, run, settled);
  return texts.length;
}

interface Judged extends Place {
  readonly key: string;
}

interface Settled extends Decision {
  readonly key: string;
}

// Deleting and merging lock contacts first; this waits for them, each in the order of ids.
const PEOPLE = `
with due as (
  select r.recipient_key, r.contact_id from reminder_recipients r
  where r.organization_id = $1 and r.reminder_id = $2 and r.scheduled_for = $3 and r.status = 'pending'
  order by r.recipient_key limit $4 for no key update
)
select d.recipient_key as key, d.contact_id as "contactId", c.name, c.custom, ${reachable('$6')} as reachable,
  c.opted_out as "optedOut", c.blocked, c.whatsapp_status as "whatsappStatus", v.window_expires_at as "windowExpiresAt"
from due d
left join contacts c on c.organization_id = $1 and c.id = d.contact_id
left join conversations v on v.organization_id = $1 and v.number_id = $5 and v.contact_id = c.id
order by d.recipient_key`;

async function peopleOf(
  { sql, organizationId, now }: Context,
  reminderId: string,
  { scheduled_for: at, content }: OpenRun,
  { limit, offer }: { readonly limit: number; readonly offer: Offer },
): Promise<(Judged & { readonly pair: Pair })[]> {
  const params = [organizationId, reminderId, at, limit, content.number_id, now];
  const people = await sql.rows<Person>(PEOPLE, params);
  return people.map((person) => ({
    key: person.key,
    pair: { numberId: content.number_id, contactId: person.contactId ?? '' },
    conversationId: null,
    toPhone: offer.toPhone,
    judgement: judge(person, offer),
  }));
}

const GROUPS = `
select r.recipient_key as key, g.name, g.conversation_id as "conversationId", g.left_at is not null as left
from reminder_recipients r
left join groups g on g.organization_id = $1 and g.id = r.recipient_key
where r.organization_id = $1 and r.reminder_id = $2 and r.scheduled_for = $3 and r.status = 'pending'
order by r.recipient_key limit $4`;

async function groupsOf(
  { sql, organizationId }: Context,
  reminderId: string,
  { scheduled_for: at, content }: OpenRun,
  limit: number,
): Promise<Judged[]> {
  const groups = await sql.rows<GroupPlace>(GROUPS, [organizationId, reminderId, at, limit]);
  return groups.map((group) => ({
    key: group.key,
    conversationId: group.conversationId,
    toPhone: null,
    judgement: judgeGroup(group, content),
  }));
}

const SETTLE = `
with told as (select * from unnest($4::text[], $5::text[], $6::text[]) t (key, message_id, reason)),
queued as (
  update reminder_runs set queued_at = $7
  where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and exists (select from told where message_id is not null))
update reminder_recipients r set status = case when t.message_id is null then 'skipped' else 'queued' end,
  message_id = t.message_id, reason = t.reason
from told t
where r.organization_id = $1 and r.reminder_id = $2 and r.scheduled_for = $3 and r.recipient_key = t.key`;

const settle = (
  { sql, organizationId, now }: Context,
  reminderId: string,
  { scheduled_for: at }: OpenRun,
  settled: readonly Settled[],
): Promise<unknown> =>
  sql.rows(SETTLE, [
    organizationId,
    reminderId,
    at,
    settled.map(({ key }) => key),
    settled.map(({ message }) => message?.id ?? null),
    settled.map(({ reason }) => reason),
    now,
  ]);

/** The time before the number went down, when they waited for room in the queue, does not count. */
async function giveUp(
  tx: Context,
  reminderId: string,
  run: OpenRun,
  downSince: Date | null,
): Promise<0 | null> {
  const since = Math.max(run.scheduled_for.getTime(), downSince?.getTime() ?? 0);
  if (tx.now.getTime() - since <= GRACE_MS) return null;
  await tx.sql.rows(
    `update reminder_recipients set status = 'failed', reason = 'number_unavailable'
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and status = 'pending'`,
    [tx.organizationId, reminderId, run.scheduled_for],
  );
  return 0;
}
