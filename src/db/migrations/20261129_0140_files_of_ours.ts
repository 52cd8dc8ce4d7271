import { Migration } from '@mikro-orm/migrations';

/** Files that were uploaded here, apart from the many that people sent: those that nothing names are dropped. */
export class Migration20261129_0140_files_of_ours extends Migration {
  override up(): void {
    this.addSql(
      'create index media_of_ours on media (organization_id, id) where conversation_id is null',
    );
  }
}
