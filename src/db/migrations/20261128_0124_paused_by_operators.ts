import { Migration } from '@mikro-orm/migrations';

/** Operators who pause endpoints, perhaps all of them, resume those and not what their owners had paused. */
export class Migration20261128_0124_paused_by_operators extends Migration {
  override up(): void {
    this.addSql(
      'alter table webhook_endpoints add column paused_by_operator boolean not null default false;',
    );
  }
}
