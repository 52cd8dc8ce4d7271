import { Migration } from '@mikro-orm/migrations';

/** A segment may be changed while a campaign to it writes down its audience, page by page: the campaign keeps the rules. */
export class Migration20261123_0064_rules_of_campaigns extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column segment_rules jsonb;');
  }
}
