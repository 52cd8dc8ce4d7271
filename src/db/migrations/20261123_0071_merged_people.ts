import { Migration } from '@mikro-orm/migrations';

/**
 * A contact that was merged has two phones: a conversation knows from which it was written in. Who was merged is found
 * under the former id. And what an automation was just sending when a person took over is not tried again.
 */
export class Migration20261123_0071_merged_people extends Migration {
  override up(): void {
    this.addSql(`
-- Whom a contact that was merged has become.
create table merged_contacts (
  organization_id text not null,
  id text not null,
  contact_id text not null,
  primary key (organization_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
create index merged_contacts_into on merged_contacts (organization_id, contact_id);
call wms.own_by_workspace('merged_contacts');

alter table conversations
  -- The identity that wrote last; null where nobody has since this migration.
  add column wrote_from text,
  -- The last automated message that was being sent when a person took over: none up to it is tried again.
  add column silenced_through text;
`);
  }
}
