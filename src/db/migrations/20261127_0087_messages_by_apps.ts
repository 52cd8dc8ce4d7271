import { Migration } from '@mikro-orm/migrations';

/** Whether an app wrote a message for a person, who alone may write to contacts who opted out. Filled by migration 0092. */
export class Migration20261127_0087_messages_by_apps extends Migration {
  override up(): void {
    this.addSql('alter table outgoing_messages add column by_app boolean not null default false');
  }
}
