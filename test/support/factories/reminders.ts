import type { Context } from '../../../src/context.ts';
import { newId } from '../../../src/ids.ts';
import { rowsOf } from '../rows-of.ts';

interface RecipientWishes {
  /** By default the contact's: a group's, or the reminder's own for a phone. */
  readonly key?: string;
  readonly contact_id: string | null;
  readonly status: string;
  readonly reason?: string | null;
  readonly message_id?: string | null;
}

/** A run of the reminder that is over, of the last evening of 2025, and whom it was for. */
export async function aReminderRun(
  ctx: Context,
  reminderId: string,
  recipients: readonly RecipientWishes[],
): Promise<string> {
  const id = newId('rrn');
  const rows = recipients.map((one) => ({ key: one.contact_id, ...one }));
  await rowsOf(
    ctx,
    `with run as (
       insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, status) values ($1, $2, $3, $4, 'partial'))
     insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, contact_id, status, reason, message_id)
     select $1, $3, $4, r.key, r.contact_id, r.status, r.reason, r.message_id
     from jsonb_to_recordset($5) as r(key text, contact_id text, status text, reason text, message_id text)`,
    [ctx.organizationId, id, reminderId, '2025-12-31T22:00Z', JSON.stringify(rows)],
  );
  return id;
}
