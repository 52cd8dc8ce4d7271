import type { Context } from '../../context.ts';
import { oneByOne } from '../../db/sql.ts';
import { endOf } from '../rules.ts';
import { REASON, STATUS } from './outcome-sql.ts';
import type { OpenRun } from './state.ts';

/** How many recipients of a run have each status. */
interface Standings {
  readonly pending: number;
  readonly queued: number;
  readonly sent: number;
  readonly failed: number;
  readonly unconfirmed: number;
  readonly skipped: number;
  readonly cancelled: number;
  readonly reasons: Readonly<Record<string, number>>;
}

// Each message is looked up by itself: joined, they were all read for each recipient of a workspace that had grown since
// the last statistics.
const HEAR = `
update reminder_recipients r set (status, reason) = (
  select ${STATUS}, ${REASON}
  from (values (1)) one left join messages m on m.organization_id = $1 and m.id = r.message_id)
where r.organization_id = $1 and r.reminder_id = $2 and r.scheduled_for = $3 and r.status = 'queued'
  and ${oneByOne(`not exists (select from messages m where m.organization_id = $1 and m.id = r.message_id
    and m.status in ('queued', 'sending'))`)}`;

const COUNT = `
select status, reason, count(*) as count from reminder_recipients
where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 group by 1, 2`;

const TELL = `
update reminder_runs set recipients = $3, sent = $4, failed = $5, reasons = $6, unconfirmed = $7, skipped = $8, cancelled = $9
where organization_id = $1 and id = $2`;

/** Reads the outcomes of a run's messages, and stores its sums. */
export async function tallyRun(
  { sql, organizationId }: Context,
  reminderId: string,
  run: OpenRun,
): Promise<Standings> {
  const place = [organizationId, reminderId, run.scheduled_for];
  await sql.rows(HEAR, place);
  const rows = await sql.rows<{ status: string; reason: string | null; count: number }>(
    COUNT,
    place,
  );
  const of = (status: string): number =>
    rows.filter((row) => row.status === status).reduce((sum, row) => sum + row.count, 0);
  const standings = {
    pending: of('pending'),
    queued: of('queued'),
    sent: of('sent'),
    failed: of('failed'),
    unconfirmed: of('unconfirmed'),
    skipped: of('skipped'),
    cancelled: of('cancelled'),
    reasons: reasonsOf(rows),
  };
  const recipients = rows.reduce((sum, row) => sum + row.count, 0);
  const { sent, failed, reasons, unconfirmed, skipped, cancelled } = standings;
  const sums = [recipients, sent, failed, JSON.stringify(reasons), unconfirmed, skipped, cancelled];
  await sql.rows(TELL, [organizationId, run.id, ...sums]);
  return standings;
}

/** By reason, or by a status that needs none: `unconfirmed`, `cancelled`. */
function reasonsOf(
  rows: readonly { status: string; reason: string | null; count: number }[],
): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { status, reason, count } of rows) {
    if (['pending', 'queued', 'sent'].includes(status)) continue;
    const name = reason ?? status;
    reasons[name] = (reasons[name] ?? 0) + count;
  }
  return reasons;
}

/** @property isUnknown it was cut short before all its people were known */
type Ended = Standings & { readonly isUnknown: boolean };

/** All recipients are settled: the run gets its final status, and its content is deleted. One that only missed is missed. */
export const finishRun = async (
  { sql, organizationId, now }: Context,
  run: OpenRun,
  { sent, failed, unconfirmed, skipped, cancelled, reasons, isUnknown }: Ended,
): Promise<void> => {
  const missed = reasons['missed'] ?? 0;
  const onlyMissed = failed === missed && sent + unconfirmed === 0 && (missed > 0 || isUnknown);
  const end = endOf({ sent, failed, unconfirmed, passed: skipped + cancelled });
  const status = onlyMissed ? 'missed' : end;
  await sql.rows(
    `update reminder_runs set status = $3, finished_at = $4, content = null where organization_id = $1 and id = $2`,
    [organizationId, run.id, status, now],
  );
};
