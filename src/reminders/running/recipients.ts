import type { Context } from '../../context.ts';
import { advisoryLock } from '../../db/advisory-locks.ts';
import { type Bind, binding, first, oneByOne } from '../../db/sql.ts';
import type { Rules } from '../../segments/rules.ts';
import { momentOf, rulesOf, segmentCondition } from '../../segments/service.ts';
import { isTooHeavy, withinTimeLimit } from '../../segments/time-limit.ts';
import { isToOne } from '../rules.ts';
import { birthdaysOn } from '../schedule.ts';
import type { OpenRun, RunContent } from './state.ts';

/** How many contacts are examined in one transaction, however few of them match. */
const SPAN = 2_000;

/** SQL: whether contact `c` has a birthday on the day, as far as rules can tell. */
function birthdayCondition(bind: Bind, day: string, { transactional }: RunContent): string {
  const days = `c.birth_day = any (${bind(birthdaysOn(day))}::int[]) and not c.blocked`;
  return transactional ? days : `${days} and not c.opted_out`;
}

async function conditionOf(
  tx: Context,
  content: RunContent,
  day: string,
): Promise<(bind: Bind) => string> {
  const { segment_id: segmentId, target } = content;
  const rules: Rules | null = segmentId === null ? null : await rulesOf(tx, segmentId);
  const moment = await momentOf(tx);
  return (bind) =>
    [
      ...(target === 'birthday' ? [birthdayCondition(bind, day, content)] : []),
      ...(rules ? [oneByOne(segmentCondition(rules, bind, moment))] : []),
      // A segment is not deleted while a reminder uses it; without its rules no one matches.
      ...(segmentId !== null && !rules ? ['false'] : []),
    ].join(' and ');
}

/**
 * Whether none of the reminder's possible recipients has a birthday on this day. Rules too expensive to be applied to
 * all of them at once are taken for reaching somebody: the run examines a span at a time.
 */
export async function nobodyOn(tx: Context, content: RunContent, day: string): Promise<boolean> {
  const condition = await conditionOf(tx, content, day);
  const { params, bind } = binding(tx.organizationId);
  const where = condition(bind);
  const one = `select 1 from contacts c where c.organization_id = $1 and ${where} limit 1`;
  try {
    return (await withinTimeLimit(tx.sql, () => first(tx.sql, one, params))) === null;
  } catch (error) {
    if (isTooHeavy(error)) return false;
    throw error;
  }
}

/**
 * Writes down the next recipients: a single one, or a page of those whom rules reach. The position is stored in the
 * same transaction, so that it continues after a crash. Someone whose birthday was already handled this year is left
 * out.
 *
 * @returns whether that was everyone
 */
export async function freezeNext(tx: Context, reminderId: string, run: OpenRun): Promise<boolean> {
  const { target, contact_id: contactId, group_id: groupId } = run.content;
  // A phone would outlive the person in it.
  const key = contactId ?? groupId ?? reminderId;
  if (isToOne(target)) {
    await tx.sql.rows(
      `insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, contact_id, status)
       values ($1, $2, $3, $4, $5, 'pending') on conflict do nothing`,
      [tx.organizationId, reminderId, run.scheduled_for, key, contactId],
    );
    return frozen(tx, run, { through: null, last: true });
  }
  const span = await nextSpan(tx, run);
  if (span) await freezeSpan(tx, reminderId, run, span.through);
  const through = span?.through ?? run.frozen_through;
  return frozen(tx, run, { through, last: !span || span.size < SPAN });
}

const frozen = async (
  tx: Context,
  run: OpenRun,
  { through, last }: { readonly through: string | null; readonly last: boolean },
): Promise<boolean> => {
  await tx.sql.rows(
    `update reminder_runs set frozen_through = $3, frozen_at = $4,
       recipients = (select count(*) from reminder_recipients p where p.organization_id = $1
         and p.reminder_id = reminder_runs.reminder_id and p.scheduled_for = reminder_runs.scheduled_for)
     where organization_id = $1 and id = $2`,
    [tx.organizationId, run.id, through, last ? tx.now : null],
  );
  return last;
};

async function nextSpan(
  { sql, organizationId }: Context,
  { content, day, frozen_through: after }: OpenRun,
): Promise<{ readonly through: string; readonly size: number } | null> {
  const params: unknown[] = [organizationId, after ?? '', SPAN];
  const born =
    content.target === 'birthday'
      ? `and c.birth_day = any ($${params.push(birthdaysOn(day))}::int[])`
      : '';
  const span = await first<{ through: string | null; size: number }>(
    sql,
    `select max(s.id) as through, count(*) as size from (
       select c.id from contacts c where c.organization_id = $1 and c.id > $2 ${born} order by c.id limit $3) s`,
    params,
  );
  return span?.through ? { through: span.through, size: span.size } : null;
}

async function freezeSpan(
  tx: Context,
  reminderId: string,
  run: OpenRun,
  through: string,
): Promise<void> {
  const { day, content } = run;
  const condition = await conditionOf(tx, content, day);
  const localYear = content.target === 'birthday' ? Number(day.slice(0, 4)) : null;
  const { params, bind } = binding(
    tx.organizationId,
    reminderId,
    run.scheduled_for,
    run.frozen_through ?? '',
    through,
    run.started_at,
    localYear,
  );
  const where = condition(bind);
  // Nobody here is deleted or merged meanwhile, who would stay as somebody that there is not.
  await advisoryLock(tx.sql, 'audience', tx.organizationId);
  await tx.sql.rows(
    `insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, contact_id, status, local_year)
     select $1, $2, $3, c.id, c.id, 'pending', $7::int from contacts c
     where c.organization_id = $1 and c.id > $4 and c.id <= $5 and c.created_at <= $6 and ${where}
     on conflict do nothing`,
    params,
  );
}

/** For a run that was interrupted: those without a message yet have missed it. */
export const missRest = async (
  { sql, organizationId }: Context,
  reminderId: string,
  run: OpenRun,
): Promise<void> => {
  await sql.rows(
    `update reminder_recipients set status = 'failed', reason = 'missed'
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and status = 'pending'`,
    [organizationId, reminderId, run.scheduled_for],
  );
};

/** For a cancelled reminder: no one else is written to. */
export const dropPending = async (
  { sql, organizationId }: Context,
  reminderId: string,
  run: OpenRun,
): Promise<void> => {
  await sql.rows(
    `update reminder_recipients set status = 'cancelled'
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and status = 'pending'`,
    [organizationId, reminderId, run.scheduled_for],
  );
};
