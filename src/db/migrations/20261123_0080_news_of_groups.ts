import { Migration } from '@mikro-orm/migrations';

/** Since when a group is called and described as it is: WhatsApp's news may come late, in any order. */
export class Migration20261123_0080_news_of_groups extends Migration {
  override up(): void {
    this.addSql(
      'alter table groups add column named_at timestamptz, add column described_at timestamptz',
    );
  }
}
