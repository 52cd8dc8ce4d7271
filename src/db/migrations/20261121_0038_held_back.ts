import { Migration } from '@mikro-orm/migrations';

/** An operator who ends the workflow of a backlog holds what waits in it, whatever comes to it later. */
export class Migration20261121_0038_held_back extends Migration {
  override up(): void {
    this.addSql('alter table webhook_endpoints add column backlog_held_at timestamptz;');
  }
}
