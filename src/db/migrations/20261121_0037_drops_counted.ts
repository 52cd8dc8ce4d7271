import { Migration } from '@mikro-orm/migrations';

/** An operator sees how many triggers started no run, and why, over all workspaces. */
export class Migration20261121_0037_drops_counted extends Migration {
  override up(): void {
    this.addSql(`call wms.open_to_system('automation_drops', 'select (reason, count)');`);
  }
}
