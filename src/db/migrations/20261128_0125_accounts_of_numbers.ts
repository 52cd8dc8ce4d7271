import { Migration } from '@mikro-orm/migrations';

/** Whoever takes in webhooks sees which numbers have a business account that is not known yet. */
export class Migration20261128_0125_accounts_of_numbers extends Migration {
  override up(): void {
    this.addSql('grant select (provider) on numbers to wms_system');
  }
}
