import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/**
 * Version 0.1.0 told recipients of reminders to a phone by the phone, and deleting the contact left it there. A run to a
 * phone has one recipient, who is told by the reminder now.
 */
export class Migration20261123_0066_forgotten_phones extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update reminder_recipients r set recipient_key = r.reminder_id
where r.recipient_key like '+%' and r.contact_id is null and not exists (
  select from reminder_recipients o where o.organization_id = r.organization_id and o.reminder_id = r.reminder_id
    and o.scheduled_for = r.scheduled_for and o.recipient_key = r.reminder_id)`),
    );
  }
}
