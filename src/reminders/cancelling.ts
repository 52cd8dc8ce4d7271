import { audit, auditAll, type Happening } from '../audit/service.ts';
import { spellingsOf } from '../contacts/identity/phones.ts';
import { phonesOf } from '../contacts/opt-outs/list.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { commandFact, insertFacts } from '../outbox/record.ts';
import { writtenReminder } from './reading.ts';
import type { CancelReason } from './rules.ts';
import { REASON, STATUS } from './running/outcome-sql.ts';
import type { ReminderView } from './schema.ts';
import { lockActive } from './service.ts';

/**
 * `DELETE /v1/reminders/{id}` (specification): the record stays, cancelled. A run in progress leaves out everyone not
 * yet sent to. Throws 409 `invalid_state` if it is done or cancelled.
 */
export const cancelReminder = (ctx: Context, id: string): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const { title } = await lockActive(tx, id);
    await cancel(tx, [id], 'requested');
    await audit(tx, cancelled({ id, title }, 'requested'));
    return writtenReminder(tx, id);
  });

/** Its workflow was cancelled, so its row is too; a reminder that is over stays as it is. */
export const cancelReminderByOperator = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const active = await first<Titled>(
      tx.sql,
      `select id, title from reminders
       where organization_id = $1 and id = $2 and status = 'active' for no key update`,
      [tx.organizationId, id],
    );
    if (!active) return;
    await cancel(tx, [id], 'requested');
    await audit(tx, cancelled(active, 'requested'));
  });

/** A recipient that no longer exists: a deleted contact, or a group that the number left. */
export type Gone = { readonly contactId: string } | { readonly groupId: string };

/**
 * Cancels the reminders to such a recipient, in the service's own name, also those to a phone of the contact: a run would
 * make the contact anew. Those to a contact forget the phone and what they say, and stay as a count. Call it after the
 * record was deleted or locked against use, so that no new reminder appears behind it, but while the contact's phones and
 * messages are known.
 */
export async function cancelRemindersOf(tx: Context, gone: Gone): Promise<void> {
  if ('groupId' in gone) return cancelWhere(tx, 'group_id = $2', gone.groupId);
  await tx.sql.rows(FORGET, [tx.organizationId, gone.contactId]);
  const phones = (await phonesOf(tx, gone.contactId)).flatMap(spellingsOf);
  for (const [condition, param] of [
    [BY_CONTACT, gone.contactId],
    [BY_PHONE, phones],
  ] as const) {
    await cancelWhere(tx, condition, param);
    await tx.sql.rows(`${ERASE} where organization_id = $1 and ${condition}`, [
      tx.organizationId,
      param,
    ]);
  }
}

/** An automation writes what the person answered into them. A title is never blank, for lists and pages show it. */
const ERASE = `update reminders set phone = null, title = '…', text = ''`;

/**
 * Runs that have not reached the person yet pass them over; of a message that has left they learn what became of it while
 * it is there. Version 0.1.0 kept a phone as the key.
 */
const FORGET = `
update reminder_recipients r set contact_id = null,
  recipient_key = case when r.recipient_key like '+%' then r.reminder_id else r.recipient_key end,
  status = case when r.status in ('pending', 'queued') then ${STATUS} else r.status end,
  reason = case when r.status in ('pending', 'queued') then ${REASON} else r.reason end
from reminder_recipients o
left join messages m on m.organization_id = $1 and m.id = o.message_id and m.status not in ('queued', 'sending')
where o.organization_id = $1 and o.contact_id = $2 and r.organization_id = $1
  and (r.reminder_id, r.scheduled_for, r.recipient_key) = (o.reminder_id, o.scheduled_for, o.recipient_key)`;

const BY_CONTACT = 'contact_id = $2';

/** As the index has it. */
const BY_PHONE = 'phone is not null and phone = any($2::text[])';

async function cancelWhere(tx: Context, condition: string, param: unknown): Promise<void> {
  const rows = await tx.sql.rows<Titled>(
    `select id, title from reminders
     where organization_id = $1 and ${condition} and status = 'active' order by id for no key update`,
    [tx.organizationId, param],
  );
  await cancel(
    tx,
    rows.map(({ id }) => id),
    'target_removed',
  );
  await auditAll(
    tx,
    rows.map((row) => cancelled(row, 'target_removed')),
  );
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

/**
 * Messages not taken from the queue are withdrawn; those being sent are settled, or not tried again, and their run counts
 * them.
 */
async function cancel(tx: Context, ids: readonly string[], reason: CancelReason): Promise<void> {
  if (ids.length === 0) return;
  const params = [tx.organizationId, ids];
  await tx.sql.rows(WITHDRAW, params);
  await tx.sql.rows(CANCEL, [...params, reason, tx.now]);
  await insertFacts(
    tx.sql,
    tx.organizationId,
    ids.map((reminderId) => commandFact('reminder.changed', { reminderId })),
  );
  tx.recorded.add('commands');
}

// In the order in which they are sent and settled; another order would deadlock. What waited to be tried again holds up
// nothing behind it.
const WITHDRAW = `
with waiting as (
  select m.id from reminder_recipients r join messages m on m.organization_id = $1 and m.id = r.message_id
  where r.organization_id = $1 and r.reminder_id = any($2::text[]) and r.status = 'queued' and m.status = 'queued'
  order by m.id for no key update of m
), cleared as (
  update outgoing_messages o set not_before = now() from waiting w
  where o.organization_id = $1 and o.message_id = w.id and o.not_before > now()
)
update messages m set status = 'cancelled' from waiting
where m.organization_id = $1 and m.id = waiting.id and m.status = 'queued'`;

const CANCEL = `
with pending as (
  update reminder_recipients set status = 'cancelled'
  where organization_id = $1 and reminder_id = any($2::text[]) and status = 'pending')
update reminders r set status = 'cancelled', cancel_reason = $3, next_run_at = null, due_day = null, updated_at = $4,
  wakes_at = case when o.open then $4::timestamptz end, looks_at = case when o.open then r.looks_at end
from (
  select g.id, exists (select from reminder_runs u where u.organization_id = $1 and u.reminder_id = g.id
    and u.status = 'running') as open
  from unnest($2::text[]) g (id)) o
where r.organization_id = $1 and r.id = o.id`;

const cancelled = ({ id, title }: Titled, reason: CancelReason): Happening => ({
  action: 'reminder.cancelled',
  target: { type: 'reminder', id, name: title },
  changes: [
    { field: 'status', from: 'active', to: 'cancelled' },
    { field: 'cancel_reason', from: null, to: reason },
  ],
});
