import type { Context } from '../../context.ts';
import { endOf, isToOne, nextLookMs, type RunRecipientStatus } from '../rules.ts';
import { REASON, STATUS } from '../running/outcome-sql.ts';
import { nextRun } from '../schedule.ts';
import { type Ending, wakeAtTogether } from './state.ts';

const HEAR = `
update reminder_recipients r set status = ${STATUS}, reason = ${REASON}
from unnest($2::text[], $3::timestamptz[]) g (reminder_id, at)
join reminder_recipients q on q.organization_id = $1 and q.reminder_id = g.reminder_id and q.scheduled_for = g.at
  and q.status = 'queued'
left join messages m on m.organization_id = $1 and m.id = q.message_id
where (m.id is null or m.status not in ('queued', 'sending'))
  and r.organization_id = $1 and r.reminder_id = q.reminder_id and r.scheduled_for = q.scheduled_for
  and r.recipient_key = q.recipient_key`;

const STAND = `
select r.reminder_id as "reminderId", r.status, r.reason
from unnest($2::text[], $3::timestamptz[]) g (reminder_id, at)
join reminder_recipients r on r.organization_id = $1 and r.reminder_id = g.reminder_id and r.scheduled_for = g.at`;

interface Stand {
  readonly reminderId: string;
  readonly status: RunRecipientStatus;
  readonly reason: string | null;
}

/**
 * Reads the outcomes of runs with one recipient, and ends those that are settled, in the caller's transaction.
 *
 * @returns the reminders that are not that simple
 */
export async function endTogether(tx: Context, ending: readonly Ending[]): Promise<string[]> {
  if (ending.length === 0) return [];
  const place = [
    tx.organizationId,
    ending.map(({ reminder }) => reminder.id),
    ending.map(({ run }) => run.scheduled_for),
  ];
  await tx.sql.rows(HEAR, place, 'reminders-hear');
  const stands = Map.groupBy(
    await tx.sql.rows<Stand>(STAND, place, 'reminders-stand'),
    ({ reminderId }) => reminderId,
  );
  const alone: string[] = [];
  const open: Ending[] = [];
  const over: Over[] = [];
  for (const each of ending) {
    const [stand, another] = stands.get(each.reminder.id) ?? [];
    if (!stand || another || stand.status === 'pending') alone.push(each.reminder.id);
    else if (stand.status === 'queued') open.push(each);
    else over.push({ ...each, stand });
  }
  await wakeAtTogether(
    tx,
    open.map(({ reminder, run }) => ({ id: reminder.id, at: nextLook(tx.now, run) })),
  );
  await finish(tx, over);
  await rest(tx, over);
  return alone;
}

type Over = Ending & { readonly stand: Stand };

function nextLook(now: Date, { queued_at: queuedAt, started_at: startedAt }: Ending['run']): Date {
  const since = now.getTime() - (queuedAt ?? startedAt).getTime();
  return new Date(now.getTime() + nextLookMs(since, 0));
}

const FINISH = `
update reminder_runs u set status = g.status, finished_at = $3, content = null, recipients = 1,
  sent = (g.stand = 'sent')::int, failed = (g.stand = 'failed')::int, unconfirmed = (g.stand = 'unconfirmed')::int,
  skipped = (g.stand = 'skipped')::int, cancelled = (g.stand = 'cancelled')::int,
  reasons = case when g.stand = 'sent' then '{}' else jsonb_build_object(coalesce(g.reason, g.stand), 1) end
from unnest($2::text[], $4::text[], $5::text[], $6::text[]) g (id, status, stand, reason)
where u.organization_id = $1 and u.id = g.id`;

async function finish(tx: Context, over: readonly Over[]): Promise<void> {
  if (over.length === 0) return;
  const count = (stand: Stand, ...named: RunRecipientStatus[]): number =>
    named.includes(stand.status) ? 1 : 0;
  const names = over.map(({ stand }) =>
    endOf({
      sent: count(stand, 'sent'),
      failed: count(stand, 'failed'),
      unconfirmed: count(stand, 'unconfirmed'),
      passed: count(stand, 'skipped', 'cancelled'),
    }),
  );
  await tx.sql.rows(
    FINISH,
    [
      tx.organizationId,
      over.map(({ run }) => run.id),
      tx.now,
      names,
      over.map(({ stand }) => stand.status),
      over.map(({ stand }) => stand.reason),
    ],
    'reminders-finish',
  );
}

const REST = `
update reminders r set wakes_at = g.wakes_at, status = case when g.done then 'done' else r.status end,
  next_run_at = case when g.done then null else r.next_run_at end,
  updated_at = case when g.done then $5 else r.updated_at end
from unnest($2::text[], $3::timestamptz[], $4::bool[]) g (id, wakes_at, done)
where r.organization_id = $1 and r.id = g.id`;

/** After its run a reminder is done, sleeps until the next one, or was cancelled meanwhile. */
async function rest(tx: Context, over: readonly Over[]): Promise<void> {
  if (over.length === 0) return;
  const next = over.map(({ reminder }) => {
    if (reminder.status !== 'active') return { done: false, wakesAt: null };
    // Birthdays are checked each day, whatever next run is shown.
    if (reminder.due_day !== null)
      return { done: false, wakesAt: isToOne(reminder.target) ? reminder.next_run_at : tx.now };
    const more = nextRun(reminder, tx.now) !== null;
    return { done: !more, wakesAt: more ? tx.now : null };
  });
  await tx.sql.rows(
    REST,
    [
      tx.organizationId,
      over.map(({ reminder }) => reminder.id),
      next.map(({ wakesAt }) => wakesAt),
      next.map(({ done }) => done),
      tx.now,
    ],
    'reminders-rest',
  );
}
