import { Migration } from '@mikro-orm/migrations';

/** What became of each row of an import goes a month after its end; the import stays, and says that they are gone. */
export class Migration20261127_0091_rows_of_imports extends Migration {
  override up(): void {
    this.addSql('alter table contact_imports add column rows_gone boolean not null default false');
    this.addSql(
      'create index contact_imports_with_rows on contact_imports (finished_at) where finished_at is not null and not rows_gone',
    );
    this.addSql(
      'grant select (finished_at, rows_gone), update (rows_gone) on contact_imports to wms_system',
    );
    this.addSql(
      "call wms.open_to_system('contact_import_rows', 'select (organization_id, import_id, line), delete')",
    );
  }
}
