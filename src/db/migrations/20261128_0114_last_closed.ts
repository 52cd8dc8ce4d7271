import { Migration } from '@mikro-orm/migrations';

/** Besides since when a device's connection is closed, when it last closed: a heartbeat from between is not its end. */
export class Migration20261128_0114_last_closed extends Migration {
  override up(): void {
    this.addSql('alter table number_health add column last_closed_at timestamptz');
  }
}
