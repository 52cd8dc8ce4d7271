import { Migration } from '@mikro-orm/migrations';

/** The run that made a reminder: silence after what it says is that run's doing. */
export class Migration20261128_0111_causes_of_reminders extends Migration {
  override up(): void {
    this.addSql('alter table reminders add column cause_run_id text');
  }
}
