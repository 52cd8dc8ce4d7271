import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/**
 * Contacts from before they were counted (migration 0081), while others are being added: a statement sees a contact
 * together with its count, or neither, so what it misses was there before. Nothing where all are counted already.
 */
export class Migration20261127_0085_contacts_counted_before extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
insert into contact_counts (organization_id, added)
select workspace, missing from (
  select (select count(*) from contacts where organization_id = workspace)
    - (select coalesce(sum(added), 0) from contact_counts where organization_id = workspace) as missing) found
where missing <> 0`),
    );
  }
}
