import { Migration } from '@mikro-orm/migrations';

/** A contact that is deleted takes the reminders to its phones along: found by an index, however many there are. */
export class Migration20261123_0065_reminders_by_phone extends Migration {
  override up(): void {
    this.addSql(
      'create index reminders_of_phone on reminders (organization_id, phone) where phone is not null;',
    );
  }
}
