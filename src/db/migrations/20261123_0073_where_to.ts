import { Migration } from '@mikro-orm/migrations';

/** A message for one of the contact's phones names it while it waits. */
export class Migration20261123_0073_where_to extends Migration {
  override up(): void {
    this.addSql('alter table outgoing_messages add column to_phone text');
  }
}
