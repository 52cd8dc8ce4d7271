import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/**
 * A conversation always names the identity that wrote last, also that of a person who hides the phone; so far only a
 * second phone. And a message for one of the contact's phones names it while it waits.
 */
export class Migration20261123_0073_where_to extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update conversations v set wrote_from = coalesce(c.phone, (
  select i.value from contact_identities i
  where i.organization_id = c.organization_id and i.contact_id = c.id and i.type = 'wa_user'
  order by i.created_at desc limit 1))
from contacts c
where c.organization_id = v.organization_id and c.id = v.contact_id and v.wrote_from is null and v.window_expires_at > now()`),
    );
    this.addSql('alter table outgoing_messages add column to_phone text');
  }
}
