import { Migration } from '@mikro-orm/migrations';

/**
 * Since when a number cannot send. Its last change said that before, and each try to pair it again began the hour anew
 * for which messages wait. Null also for one that a process of an earlier version took down: then its last change counts.
 */
export class Migration20261126_0083_numbers_down_since extends Migration {
  override up(): void {
    this.addSql('alter table numbers add column down_since timestamptz');
    this.addSql(
      "update numbers set down_since = status_changed_at where status not in ('connected', 'degraded')",
    );
  }
}
