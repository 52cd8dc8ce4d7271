import { Migration } from '@mikro-orm/migrations';

/** A look that fails is tried again the next minute, and keeps no other automation of its workspace from the clock. */
export class Migration20261129_0139_failed_looks extends Migration {
  override up(): void {
    this.addSql('alter table automation_clocks add column failed_at timestamptz');
  }
}
