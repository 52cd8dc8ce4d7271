import type { Context } from '../../context.ts';
import { newId } from '../../ids.ts';
import { isToOne } from '../rules.ts';
import { nobodyOn } from './recipients.ts';
import type { RunContent, Standing } from './state.ts';

interface Due {
  readonly day: string;
  readonly at: Date;
}

const RUN = `
insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, day, started_at, finished_at, status, content, reasons,
  recipients, failed)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
on conflict (organization_id, reminder_id, scheduled_for) do nothing`;

/**
 * Begins the run of this day, in the caller's transaction. A run that was begun before is not begun again, and
 * without anyone's birthday there is no run.
 */
export async function begin(tx: Context, reminder: Standing, { day, at }: Due): Promise<void> {
  if (reminder.target === 'birthday' && (await nobodyOn(tx, reminder, day))) return;
  const organizationId = tx.organizationId;
  const id = newId('rrn');
  const content = JSON.stringify(contentOf(reminder));
  const times = [at, day, tx.now, null];
  await tx.sql.rows(RUN, [organizationId, id, reminder.id, ...times, 'running', content, '{}', 0]);
}

/**
 * Records the run as missed (design decisions §10, Missed): by the one person or group that it was for, or by nobody who
 * was looked up yet.
 */
export async function miss(
  tx: Context,
  reminder: Standing,
  { day, at }: Due,
  reason: 'missed' | 'number_unavailable',
): Promise<void> {
  if (reminder.target === 'birthday' && (await nobodyOn(tx, reminder, day))) return;
  const organizationId = tx.organizationId;
  const id = newId('rrn');
  const times = [at, day, null, tx.now];
  const people = isToOne(reminder.target) ? 1 : 0;
  const reasons = JSON.stringify({ [reason]: people });
  await tx.sql.rows(RUN, [
    ...[organizationId, id, reminder.id, ...times, 'missed', null],
    reasons,
    people,
  ]);
}

/** There is no further run. */
export async function end(tx: Context, id: string): Promise<'more'> {
  await tx.sql.rows(
    `update reminders set status = 'done', next_run_at = null, wakes_at = null, updated_at = $3
     where organization_id = $1 and id = $2`,
    [tx.organizationId, id, tx.now],
  );
  return 'more';
}

/** The part of its reminder that a run keeps. */
export const contentOf = (reminder: Standing): RunContent => ({
  target: reminder.target,
  contact_id: reminder.contact_id,
  group_id: reminder.group_id,
  segment_id: reminder.segment_id,
  phone: reminder.phone,
  number_id: reminder.number_id,
  text: reminder.text,
  transactional: reminder.transactional,
});
