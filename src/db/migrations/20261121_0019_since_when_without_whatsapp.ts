import { Migration } from '@mikro-orm/migrations';

/**
 * The contact itself says since when its phone loses messages to 131026: whatever becomes of the messages,
 * with whomever it is merged and whichever phone it had before. Any good sign takes it back.
 */
export class Migration20261121_0019_since_when_without_whatsapp extends Migration {
  override up(): void {
    this.addSql(`
alter table contacts add column no_whatsapp_since timestamptz;
create or replace function wms.note_no_whatsapp() returns trigger language plpgsql as $$
begin
  update contacts set
    whatsapp_status = case when no_whatsapp_since <= new.created_at - interval '7 days' then 'invalid' else whatsapp_status end,
    no_whatsapp_since = least(no_whatsapp_since, new.created_at)
  where organization_id = new.organization_id and id = new.contact_id;
  return null;
end $$;
`);
  }
}
