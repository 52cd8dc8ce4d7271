import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Files of conversations that went in a merge are in the one that their message is in now. */
export class Migration20261123_0068_files_of_merged_people extends Migration {
  override up(): void {
    // Others may have sent the file on, into other conversations.
    this.addSql(
      inEachWorkspace(`
with lost as materialized (
  select f.organization_id, f.id from media f where f.conversation_id is not null and not exists (
    select from conversations v where v.organization_id = f.organization_id and v.id = f.conversation_id)
)
update media f set conversation_id = m.conversation_id
from lost l join messages m on m.organization_id = l.organization_id and m.media_id = l.id and m.source in ('contact', 'phone')
where f.organization_id = l.organization_id and f.id = l.id`),
    );
  }
}
