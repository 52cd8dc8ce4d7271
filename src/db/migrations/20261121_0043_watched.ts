import { Migration } from '@mikro-orm/migrations';

/**
 * What a run may wait for and no happening tells of: who has a conversation, whether a person wants messages, what
 * a deal is worth, when a number is attended. Many use cases write these columns, so that it is seen here. A
 * happening of the kind `changed` starts nothing; it is kept only while a run of the person waits.
 */
export class Migration20261121_0043_watched extends Migration {
  override up(): void {
    this.addSql(functions);
    this.addSql(triggers);
  }
}

const functions = `
-- The same form as ids that the service makes: 10 characters of time, 16 of chance.
create function wms.new_id(prefix text) returns text language plpgsql volatile as $$
declare
  letters constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  noise constant bytea := uuid_send(gen_random_uuid());
  id text := '';
begin
  for n in 1..10 loop
    id := substr(letters, (ms & 31)::int + 1, 1) || id;
    ms := ms >> 5;
  end loop;
  for n in 0..15 loop
    id := id || substr(letters, (get_byte(noise, n) & 31) + 1, 1);
  end loop;
  return prefix || '_' || id;
end $$;

create function wms.tell_watching(organization text, contact text, record text) returns void language sql volatile as $$
  insert into automation_triggers (organization_id, id, contact_id, trigger, created_at)
  select organization, wms.new_id('fct'), contact, jsonb_build_object('type', 'changed', 'ref', record), now()
  where exists (select from automation_runs r
    where r.organization_id = organization and r.contact_id = contact and r.waits_for = 'condition' and r.status = 'waiting')
$$;

create function wms.note_contact_watched() returns trigger language plpgsql as $$
begin
  perform wms.tell_watching(new.organization_id, new.id, new.id);
  return null;
end $$;

create function wms.note_watched() returns trigger language plpgsql as $$
begin
  perform wms.tell_watching(new.organization_id, new.contact_id, new.id);
  return null;
end $$;

create function wms.note_hours_watched() returns trigger language plpgsql as $$
begin
  perform wms.tell_watching(new.organization_id, waiting.contact_id, new.id) from (
    select distinct r.contact_id from automation_runs r
    join conversations v on v.organization_id = r.organization_id and v.id = r.conversation_id
    where r.organization_id = new.organization_id and v.number_id = new.id
      and r.waits_for = 'condition' and r.status = 'waiting' and r.contact_id is not null) waiting;
  return null;
end $$;
`;

const triggers = `
create trigger contacts_note_watched after update of opted_out, blocked on contacts for each row
  when ((new.opted_out, new.blocked) is distinct from (old.opted_out, old.blocked))
  execute function wms.note_contact_watched();

create trigger conversations_note_watched
  after update of assigned_team_id, assigned_member_id, handled_by, status on conversations for each row
  when (new.contact_id is not null and (new.assigned_team_id, new.assigned_member_id, new.handled_by, new.status)
    is distinct from (old.assigned_team_id, old.assigned_member_id, old.handled_by, old.status))
  execute function wms.note_watched();

create trigger deals_note_watched after update of value_cents, status on deals for each row
  when ((new.value_cents, new.status) is distinct from (old.value_cents, old.status))
  execute function wms.note_watched();

create trigger numbers_note_watched after update of hours on numbers for each row
  when (new.hours is distinct from old.hours)
  execute function wms.note_hours_watched();
`;
