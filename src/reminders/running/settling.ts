import type { Context, InWorkspace } from '../../context.ts';
import { first, oneByOne } from '../../db/sql.ts';
import { endOf, type RunRecipientStatus } from '../rules.ts';
import { REASON, STATUS } from './outcome-sql.ts';
import { ROOM } from './queueing.ts';
import type { OpenRun } from './state.ts';

/** How many recipients of a run have each status. */
interface Standings {
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly unconfirmed: number;
  readonly skipped: number;
  readonly cancelled: number;
  readonly reasons: Readonly<Record<string, number>>;
}

// A look must not cost the more the longer the run: those with a message are in front, because they got it in this order,
// and one more than may have one shows whether anybody is left.
const OPEN = `r.organization_id = $1 and r.reminder_id = $2 and r.scheduled_for = $3 and r.recipient_key = any(array(
  select o.recipient_key from reminder_recipients o
  where o.organization_id = $1 and o.reminder_id = $2 and o.scheduled_for = $3 and o.status in ('pending', 'queued')
  order by o.recipient_key limit ${ROOM + 1}))`;

// Each message is looked up by itself: joined, they were all read for each recipient of a workspace that had grown since
// the last statistics.
const HEAR = `
update reminder_recipients r set (status, reason) = (
  select ${STATUS}, ${REASON}
  from (values (1)) one left join messages m on m.organization_id = $1 and m.id = r.message_id)
where ${OPEN} and r.status = 'queued'
  and ${oneByOne(`not exists (select from messages m where m.organization_id = $1 and m.id = r.message_id
    and m.status in ('queued', 'sending'))`)}`;

const LEFT = `
select count(*) filter (where r.status = 'pending') as pending, count(*) filter (where r.status = 'queued') as queued
from reminder_recipients r where ${OPEN}`;

/**
 * Reads the outcomes of a run's messages.
 *
 * @returns how many are under way, and how many have no message yet, counted no further than shows whether all of them
 * have room in the queue
 */
export async function hearRun(
  { sql, organizationId }: Context,
  reminderId: string,
  { scheduled_for: at }: OpenRun,
): Promise<{ readonly pending: number; readonly queued: number }> {
  const place = [organizationId, reminderId, at];
  await sql.rows(HEAR, place);
  return (await first(sql, LEFT, place)) ?? { pending: 0, queued: 0 };
}

const COUNT = `
select status, reason, count(*) as count from reminder_recipients
where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 group by 1, 2`;

interface Counted {
  readonly status: RunRecipientStatus;
  readonly reason: string | null;
  readonly count: number;
}

/** Counts all recipients of a run; while it goes on, nowhere are their sums. */
export async function standingsOf(
  { sql, organizationId }: InWorkspace,
  reminderId: string,
  at: Date,
): Promise<Standings> {
  const rows = await sql.rows<Counted>(COUNT, [organizationId, reminderId, at]);
  const of = (status: RunRecipientStatus): number =>
    rows.filter((row) => row.status === status).reduce((sum, row) => sum + row.count, 0);
  return {
    recipients: rows.reduce((sum, row) => sum + row.count, 0),
    sent: of('sent'),
    failed: of('failed'),
    unconfirmed: of('unconfirmed'),
    skipped: of('skipped'),
    cancelled: of('cancelled'),
    reasons: reasonsOf(rows),
  };
}

/** By reason, or by a status that needs none: `unconfirmed`, `cancelled`. */
function reasonsOf(rows: readonly Counted[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { status, reason, count } of rows) {
    if (['pending', 'queued', 'sent'].includes(status)) continue;
    const name = reason ?? status;
    reasons[name] = (reasons[name] ?? 0) + count;
  }
  return reasons;
}

/**
 * All recipients are settled: the run gets its sums and its final status, and its content is deleted. One that only missed
 * is missed.
 *
 * @param isUnknown it was cut short before all its people were known
 */
export async function finishRun(
  tx: Context,
  reminderId: string,
  run: OpenRun,
  isUnknown: boolean,
): Promise<void> {
  const standings = await standingsOf(tx, reminderId, run.scheduled_for);
  const { recipients, sent, failed, reasons, unconfirmed, skipped, cancelled } = standings;
  const missed = reasons['missed'] ?? 0;
  const onlyMissed = failed === missed && sent + unconfirmed === 0 && (missed > 0 || isUnknown);
  const end = endOf({ sent, failed, unconfirmed, passed: skipped + cancelled });
  const sums = [recipients, sent, failed, JSON.stringify(reasons), unconfirmed, skipped, cancelled];
  await tx.sql.rows(
    `update reminder_runs set status = $3, finished_at = $4, content = null, recipients = $5, sent = $6, failed = $7,
       reasons = $8, unconfirmed = $9, skipped = $10, cancelled = $11
     where organization_id = $1 and id = $2`,
    [tx.organizationId, run.id, onlyMissed ? 'missed' : end, tx.now, ...sums],
  );
}
