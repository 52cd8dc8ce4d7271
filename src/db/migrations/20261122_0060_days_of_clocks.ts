import { Migration } from '@mikro-orm/migrations';

/** A local day starts its automations once, also when the workspace moves to another time zone in between. */
export class Migration20261122_0060_days_of_clocks extends Migration {
  override up(): void {
    this.addSql('alter table automation_clocks add column seen_day date');
  }
}
