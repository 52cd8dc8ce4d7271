import { Migration } from '@mikro-orm/migrations';

/**
 * How often a campaign's number got a daily limit since it began: what a batch read of it before holds no more. A column
 * of the row that claims lock, as a claim that waited for it sees no other that changed.
 */
export class Migration20261127_0088_limits_of_running_campaigns extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column limits_revision int not null default 0');
  }
}
