import { Migration } from '@mikro-orm/migrations';

/**
 * Two messages lost to 131026, 7 days apart and nothing good between them, make a contact `invalid` (design
 * decisions §12): one alone also means an old app or terms that were not accepted. Campaigns, single messages
 * and status webhooks all write the same column, so that it is seen here, whoever was told.
 */
export class Migration20261121_0018_phones_without_whatsapp extends Migration {
  override up(): void {
    this.addSql(`
create function wms.note_no_whatsapp() returns trigger language plpgsql as $$
begin
  update contacts c set whatsapp_status = 'invalid'
  where c.organization_id = new.organization_id and c.id = new.contact_id and c.whatsapp_status <> 'invalid'
    and exists (
      select from conversations v
      join messages m on m.organization_id = v.organization_id and m.conversation_id = v.id
      where v.organization_id = new.organization_id and v.contact_id = new.contact_id
        and m.status = 'failed' and m.error ->> 'provider_code' = '131026'
        and m.created_at <= new.created_at - interval '7 days'
        and not exists (
          select from conversations w
          join messages g on g.organization_id = w.organization_id and g.conversation_id = w.id
          where w.organization_id = new.organization_id and w.contact_id = new.contact_id
            and g.created_at > m.created_at and g.status in ('received', 'delivered', 'read')));
  return null;
end $$;
create trigger messages_note_no_whatsapp after update of status on messages for each row
  when (new.status = 'failed' and old.status <> 'failed' and new.contact_id is not null
    and new.error ->> 'provider_code' = '131026')
  execute function wms.note_no_whatsapp();
`);
  }
}
