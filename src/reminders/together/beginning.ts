import type { Context } from '../../context.ts';
import { queueTexts } from '../../conversations/sending/outgoing-many.ts';
import { newId } from '../../ids.ts';
import { nextLookMs } from '../rules.ts';
import { contentOf } from '../running/beginning.ts';
import { runAfterDay } from '../schedule.ts';
import { type Addressed, addressed } from './addressing.ts';
import type { Beginning } from './state.ts';

// A run that was begun before is not begun again: only those written here are returned.
const RUNS = `
insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, day, started_at, status, content, frozen_at,
  queued_at, recipients)
select $1, g.id, g.reminder_id, g.at, g.day, $7, 'running', g.content, $7, $7, 1
from unnest($2::text[], $3::text[], $4::timestamptz[], $5::date[], $6::jsonb[]) g (id, reminder_id, at, day, content)
on conflict (organization_id, reminder_id, scheduled_for) do nothing
returning reminder_id as "reminderId"`;

/**
 * Begins runs of one recipient each and queues their messages, in the caller's transaction. A recipient who is not
 * sent to is recorded too, with the reason.
 */
export async function beginTogether(tx: Context, beginning: readonly Beginning[]): Promise<void> {
  if (beginning.length === 0) return;
  const written = await tx.sql.rows<{ reminderId: string }>(
    RUNS,
    [
      tx.organizationId,
      beginning.map(() => newId('rrn')),
      beginning.map(({ reminder }) => reminder.id),
      beginning.map(({ at }) => at),
      beginning.map(({ reminder }) => reminder.due_day),
      beginning.map(({ reminder }) => JSON.stringify(contentOf(reminder))),
      tx.now,
    ],
    'reminders-begin',
  );
  const begun = new Set(written.map(({ reminderId }) => reminderId));
  const each = await addressed(
    tx,
    beginning.filter(({ reminder }) => begun.has(reminder.id)),
  );
  await recipients(tx, each);
  await queueTexts(
    tx,
    each.flatMap(({ message }) => message ?? []),
  );
  await plan(
    tx,
    beginning,
    new Set(each.filter(({ message }) => message).map(({ reminder }) => reminder.id)),
  );
}

// The primary key prevents a second one in the same period.
const RECIPIENTS = `
insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, contact_id, message_id, status, reason)
select $1, g.reminder_id, g.at, g.key, g.contact_id, g.message_id,
  case when g.message_id is null then 'skipped' else 'queued' end, g.reason
from unnest($2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[])
  g (reminder_id, at, key, contact_id, message_id, reason)`;

async function recipients(tx: Context, each: readonly Addressed[]): Promise<void> {
  if (each.length === 0) return;
  await tx.sql.rows(
    RECIPIENTS,
    [
      tx.organizationId,
      each.map(({ reminder }) => reminder.id),
      each.map(({ at }) => at),
      each.map(({ key }) => key),
      each.map(({ contactId }) => contactId),
      each.map(({ message }) => message?.id ?? null),
      each.map(({ reason }) => reason),
    ],
    'reminders-recipients',
  );
}

const PLAN = `
update reminders r set next_run_at = g.next, due_day = g.day, wakes_at = g.wakes_at
from unnest($2::text[], $3::timestamptz[], $4::date[], $5::timestamptz[]) g (id, next, day, wakes_at)
where r.organization_id = $1 and r.id = g.id`;

/** The next run of each, from its rule; the outcome of this run is checked soon. */
async function plan(
  tx: Context,
  beginning: readonly Beginning[],
  queued: ReadonlySet<string>,
): Promise<void> {
  const soon = new Date(tx.now.getTime() + nextLookMs(0, 0));
  const next = beginning.map(({ reminder }) => runAfterDay(reminder, reminder.due_day ?? ''));
  await tx.sql.rows(
    PLAN,
    [
      tx.organizationId,
      beginning.map(({ reminder }) => reminder.id),
      next.map((each) => each?.at ?? null),
      next.map((each) => each?.day ?? null),
      beginning.map(({ reminder }) => (queued.has(reminder.id) ? soon : tx.now)),
    ],
    'reminders-plan',
  );
}
