import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Files that the handset had sent to people who were deleted since, except those that somebody else was sent too. */
export class Migration20261128_0096_files_of_deleted_people extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
delete from media f where f.conversation_id is not null
  and not exists (select from conversations v where v.organization_id = f.organization_id and v.id = f.conversation_id)
  and not exists (select from messages m where m.organization_id = f.organization_id and m.media_id = f.id)
  and not exists (select from automations a
    where a.organization_id = f.organization_id and strpos(a.draft::text, f.id) > 0)
  and not exists (select from automation_versions a
    where a.organization_id = f.organization_id and strpos(a.definition::text, f.id) > 0)`),
    );
  }
}
