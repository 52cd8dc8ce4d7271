import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** What reminders to people say who were deleted before is erased; one to a phone is told by having lost it. */
export class Migration20261130_0156_reminders_of_deleted_people extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update reminders r set title = '…', text = ''
where r.target = 'phone' and r.phone is null
  or r.target = 'contact' and not exists (
    select from contacts c where c.organization_id = r.organization_id and c.id = r.contact_id)`),
    );
  }
}
