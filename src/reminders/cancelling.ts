import { audit, type Happening } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { writtenReminder } from './reading.ts';
import type { CancelReason } from './rules.ts';
import type { ReminderView } from './schema.ts';
import { lockActive } from './service.ts';

/**
 * `DELETE /v1/reminders/{id}` (specification): the record stays, cancelled. Of a run that is under way,
 * those not sent to yet are left out. Throws 409 `invalid_state` for one that is done or cancelled.
 */
export const cancelReminder = (ctx: Context, id: string): Promise<ReminderView> =>
  transact(ctx, async (tx) => {
    const { title } = await lockActive(tx, id);
    await cancel(tx, [id], 'requested');
    await audit(tx, cancelled({ id, title }, 'requested'));
    return writtenReminder(tx, id);
  });

/** What is no more: a contact that was deleted, a group that the number left. */
export type Gone = { readonly contactId: string } | { readonly groupId: string };

/**
 * Cancels what went to it, by the service itself. Call it after the record was deleted or locked against
 * use, so that no reminder comes in behind it; write the entries last in the transaction.
 */
export async function cancelRemindersOf(tx: Context, gone: Gone): Promise<readonly Happening[]> {
  const [column, id] =
    'contactId' in gone
      ? (['contact_id', gone.contactId] as const)
      : (['group_id', gone.groupId] as const);
  const rows = await tx.sql.rows<Titled>(
    `select id, title from reminders
     where organization_id = $1 and ${column} = $2 and status = 'active' order by id for no key update`,
    [tx.organizationId, id],
  );
  await cancel(
    tx,
    rows.map((row) => row.id),
    'target_removed',
  );
  return rows.map((row) => cancelled(row, 'target_removed'));
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

const cancel = (tx: Context, ids: readonly string[], reason: CancelReason): Promise<unknown> =>
  tx.sql.rows(
    `with pending as (
       update reminder_recipients set status = 'cancelled'
       where organization_id = $1 and reminder_id = any($2::text[]) and status = 'pending')
     update reminders set status = 'cancelled', cancel_reason = $3, next_run_at = null, updated_at = $4
     where organization_id = $1 and id = any($2::text[])`,
    [tx.organizationId, ids, reason, tx.now],
  );

const cancelled = ({ id, title }: Titled, reason: CancelReason): Happening => ({
  action: 'reminder.cancelled',
  target: { type: 'reminder', id, name: title },
  changes: [
    { field: 'status', from: 'active', to: 'cancelled' },
    { field: 'cancel_reason', from: null, to: reason },
  ],
});
