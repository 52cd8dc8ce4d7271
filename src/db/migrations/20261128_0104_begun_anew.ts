import { Migration } from '@mikro-orm/migrations';

/** How often an automation began anew: what its clock queued before that starts nothing after it. */
export class Migration20261128_0104_begun_anew extends Migration {
  override up(): void {
    this.addSql('alter table automations add column begun_anew integer not null default 0');
  }
}
