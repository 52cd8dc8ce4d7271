import { Migration } from '@mikro-orm/migrations';

/** What was given up is found among all that was taken in within two days. */
export class Migration20261128_0099_given_up extends Migration {
  override up(): void {
    this.addSql(
      'create index inbound_webhooks_given_up on inbound_webhooks (seq) where processed_at is not null and tries >= 5',
    );
  }
}
