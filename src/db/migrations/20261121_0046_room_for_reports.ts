import { Migration } from '@mikro-orm/migrations';

/**
 * The messages of a campaign are written side by side, and a moment later the reports about them change them all
 * at once. With a third of each page left free, half of the new versions went to another page, and each of those
 * wrote the entries of four indexes anew: three times the work of the others. Half of a page holds them all.
 */
export class Migration20261121_0046_room_for_reports extends Migration {
  override up(): void {
    this.addSql('alter table messages set (fillfactor = 50)');
  }
}
