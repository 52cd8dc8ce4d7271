import { Migration } from '@mikro-orm/migrations';

/** An import names whoever started it with all that it does, and the app through which a person did. */
export class Migration20261130_0145_imports_through_apps extends Migration {
  override up(): void {
    this.addSql('alter table contact_imports add column created_through jsonb');
  }
}
