import { said } from '../../automated/answers.ts';
import type { Context } from '../../context.ts';
import { durationMs } from '../rules.ts';
import { noteDrop } from '../running/dropped-triggers.ts';
import { CAUSE } from './causes.ts';
import { type Clock, type ClockTrigger, type Found, LATEST_MS, PAGE, startFor } from './clocks.ts';

const SENT = "m.status in ('sent', 'delivered', 'read')";
const SAID = said('m');

// The automation's own last message starts nothing, or it would answer silence for ever; what a run said, itself or by
// its reminder, passes its chain on, so that two do not answer each other for ever. If WhatsApp took back the latest
// message, the one before it is the last again and counts now, unless its own moment came first. A message that we send
// between a message's moment and the look takes nothing from that moment; an answer does. Whoever edits a message or
// takes a reaction back says nothing. Whoever closed the conversation after the message waits for no answer; the service
// closes one because there was none. What is sent into a closed one leaves it closed.
const SILENT = `
select v.id as "conversationId", v.contact_id as "contactId", last.id as ref, (
    select ${CAUSE} from automation_runs r join contacts c on c.organization_id = $1 and c.id = v.contact_id
    where r.organization_id = $1 and r.id = case when last.run_id is null then (
      select m.cause_run_id from reminders m where m.organization_id = $1 and m.id = last.reminder_id) else last.run_id end) as cause
from conversations v
cross join lateral (select case when v.last_message_at is null then v.created_at else v.last_message_at end as at) latest
cross join lateral (
  select m.id, m.direction, m.automation_id, m.run_id, m.reminder_id, m.created_at, said.at,
    said.at + $7 * interval '1 millisecond' as moment
  from messages m cross join lateral (select coalesce(m.sent_at, m.created_at) as at) said
  where m.organization_id = $1 and m.conversation_id = v.id and ${SAID} and (m.direction = 'inbound' or ${SENT})
    and (latest.at <= $4 or said.at <= $4)
  order by m.id desc limit 1) last
where v.organization_id = $1 and v.contact_id is not null and v.id > $2
  and (latest.at > $3 and latest.at <= $4 or latest.at > $8)
  and (cardinality($5::text[]) = 0 or v.number_id = any ($5))
  and last.direction = 'outbound' and last.automation_id is distinct from $6
  and not (v.status = 'closed' and exists (select from conversation_activities a
    where a.organization_id = $1 and a.conversation_id = v.id and a.type = 'closed' and a.created_at >= last.created_at
      and a.actor ->> 'type' <> 'system'))
  and case when latest.at < last.moment then latest.at <= $4
    else last.at > $3 and not exists (select from messages m
      where m.organization_id = $1 and m.conversation_id = v.id and m.id > last.id and ${SAID}
        and (m.direction = 'inbound' or ${SENT} and coalesce(m.sent_at, m.created_at) < last.moment)) end
order by v.id limit ${PAGE}`;

/**
 * A page of the people who by now have not answered our last message for this long. Each message counts once, because
 * its moment falls into exactly one look.
 */
export async function lookForSilence(
  tx: Context,
  clock: Clock,
  { after: duration, number_ids: numberIds }: ClockTrigger<'no_reply'>,
  minute: Date,
): Promise<Partial<Clock>> {
  const { until, reached } = await lookOf(tx, clock, minute);
  const after = durationMs(duration) ?? 0;
  const from = Math.max(clock.seenUntil.getTime(), until.getTime() - LATEST_MS);
  const found = await tx.sql.rows<Found>(SILENT, [
    tx.organizationId,
    reached,
    new Date(from - after),
    new Date(until.getTime() - after),
    numberIds,
    clock.automationId,
    after,
    new Date(from),
  ]);
  await startFor(tx, clock, found);
  const last = found.at(-1)?.conversationId;
  return found.length < PAGE || !last
    ? { seenUntil: until }
    : { lookUntil: until, lookAfter: last };
}

/**
 * How far the look goes and whom it has reached. What an outage of more than an hour kept from starting, before the look
 * or between its pages, is missed, and counted once, however many people it concerns.
 */
async function lookOf(
  tx: Context,
  { automationId, seenUntil, lookUntil, lookAfter }: Clock,
  minute: Date,
): Promise<{ readonly until: Date; readonly reached: string }> {
  const isLate = minute.getTime() - (lookUntil ?? seenUntil).getTime() > LATEST_MS;
  if (isLate) await noteDrop(tx, automationId, 'missed');
  return lookUntil === null || isLate
    ? { until: minute, reached: '' }
    : { until: lookUntil, reached: lookAfter ?? '' };
}
