import type { Context } from '../../context.ts';
import { durationMs } from '../rules.ts';
import { type Clock, type ClockTrigger, type Found, LATEST_MS, PAGE, startFor } from './clocks.ts';

// The automation's own last message starts nothing, or it would answer silence for ever. If WhatsApp took back the
// latest message, the one before it is the last again and counts now, unless its own moment came first.
const SILENT = `
select v.id as "conversationId", v.contact_id as "contactId", m.id as ref
from conversations v cross join lateral (
  select m.id, m.direction, m.automation_id, coalesce(m.sent_at, m.created_at) as at from messages m
  where m.organization_id = $1 and m.conversation_id = v.id
    and (m.direction = 'inbound' or m.status in ('sent', 'delivered', 'read'))
  order by m.id desc limit 1) m
where v.organization_id = $1 and v.contact_id is not null and v.id > $2
  and coalesce(v.last_message_at, v.created_at) > $3 and coalesce(v.last_message_at, v.created_at) <= $4
  and (cardinality($5::text[]) = 0 or v.number_id = any ($5))
  and m.direction = 'outbound' and m.automation_id is distinct from $6
  and m.at > coalesce(v.last_message_at, v.created_at) - $7 * interval '1 millisecond'
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
  const until = clock.lookUntil ?? minute;
  const after = durationMs(duration) ?? 0;
  const from = Math.max(clock.seenUntil.getTime(), until.getTime() - LATEST_MS);
  const found = await tx.sql.rows<Found>(SILENT, [
    tx.organizationId,
    clock.lookAfter ?? '',
    new Date(from - after),
    new Date(until.getTime() - after),
    numberIds,
    clock.automationId,
    after,
  ]);
  await startFor(tx, clock, found);
  const last = found.at(-1)?.conversationId;
  return found.length < PAGE || !last
    ? { seenUntil: until }
    : { lookUntil: until, lookAfter: last };
}
