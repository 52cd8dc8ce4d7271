import { Migration } from '@mikro-orm/migrations';

/**
 * How many contacts a workspace has, as a sum of what each statement added or removed: counting half a million of them
 * for each new one, under the workspace's lock, took longer than the pace at which a caller may add them. The triggers
 * lock the table, so those who are there already are counted later (migration 0085).
 */
export class Migration20261124_0081_counted_contacts extends Migration {
  override up(): void {
    this.addSql(counts);
    this.addSql(triggers);
  }
}

const counts = `
-- Rows are only added, so that writers never wait for each other; who reads the sum folds them into one.
create table contact_counts (
  organization_id text not null,
  id bigint generated always as identity,
  added int not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('contact_counts');
`;

const triggers = `
create function wms.count_contacts() returns trigger language plpgsql as $$
begin
  insert into contact_counts (organization_id, added)
  select organization_id, case tg_op when 'DELETE' then -count(*) else count(*) end from changed group by 1;
  return null;
end $$;
create trigger contacts_count_new after insert on contacts referencing new table as changed
  for each statement execute function wms.count_contacts();
create trigger contacts_count_gone after delete on contacts referencing old table as changed
  for each statement execute function wms.count_contacts();
`;
