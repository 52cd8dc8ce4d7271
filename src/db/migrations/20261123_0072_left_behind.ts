import { Migration } from '@mikro-orm/migrations';

/**
 * The minute's sweep finds the workspaces in which somebody who can answer no more still has conversations: it takes
 * them in pages, so that suspending does not wait for all a person ever had.
 */
export class Migration20261123_0072_left_behind extends Migration {
  override up(): void {
    this.addSql(
      "call wms.open_to_system('conversations', 'select (organization_id, assigned_member_id)')",
    );
  }
}
