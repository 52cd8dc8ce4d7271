import { Migration } from '@mikro-orm/migrations';

/** A merge finds the written days of the conversations that it takes into others. */
export class Migration20261128_0122_days_of_conversations extends Migration {
  override up(): void {
    this.addSql(
      'create index report_conversation_days_of on report_conversation_days (organization_id, conversation_id)',
    );
  }
}
