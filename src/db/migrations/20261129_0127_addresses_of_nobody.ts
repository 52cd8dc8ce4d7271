import { Migration } from '@mikro-orm/migrations';

/** An address whose invitation was taken back before anybody came in belongs to nobody, and can be somebody's new one. */
export class Migration20261129_0127_addresses_of_nobody extends Migration {
  override up(): void {
    this.addSql('grant delete on people to wms_system;');
  }
}
