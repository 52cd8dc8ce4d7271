import { Migration } from '@mikro-orm/migrations';

/** Since when somebody is away who said so: using the console makes nobody online who signed in before. */
export class Migration20261128_0117_away_since extends Migration {
  override up(): void {
    this.addSql('alter table members add column away_since timestamptz');
  }
}
