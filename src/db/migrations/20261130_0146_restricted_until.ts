import { Migration } from '@mikro-orm/migrations';

/** Until when WhatsApp restricts a number's account; null where it named no end. */
export class Migration20261130_0146_restricted_until extends Migration {
  override up(): void {
    this.addSql('alter table number_health add column restricted_until timestamptz');
  }
}
