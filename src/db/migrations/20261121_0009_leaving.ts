import { Migration } from '@mikro-orm/migrations';

/** Who leaves the workspace, and teams that are no more, leave what was theirs to somebody else. */
export class Migration20261121_0009_leaving extends Migration {
  override up(): void {
    for (const { table, column, others } of references) {
      this.addSql(`
alter table ${table}
  drop constraint ${table}_organization_id_${column}_fkey,
  add constraint ${table}_organization_id_${column}_fkey foreign key (organization_id, ${column})
    references ${others} (organization_id, id) on delete set null (${column});`);
    }
  }
}

const references = [
  { table: 'contacts', column: 'owner_id', others: 'members' },
  { table: 'deals', column: 'owner_id', others: 'members' },
  { table: 'conversations', column: 'assigned_member_id', others: 'members' },
  { table: 'conversations', column: 'assigned_team_id', others: 'teams' },
] as const;
