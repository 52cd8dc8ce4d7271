import { Migration } from '@mikro-orm/migrations';

/** How far what a campaign said to each has been dropped, as the plan says; the page of the next comes behind it. */
export class Migration20261128_0100_words_of_campaigns extends Migration {
  override up(): void {
    this.addSql(`alter table campaigns
      add column words_dropped boolean not null default false,
      add column words_dropped_through text not null default ''`);
  }
}
