import { Migration } from '@mikro-orm/migrations';

/**
 * An endpoint that a member made gets what that member may see, as every list does. The relay, which fans
 * events out across workspaces, asks by a function that runs as the app and is bound to the one workspace.
 */
export class Migration20261121_0020_endpoints_of_members extends Migration {
  override up(): void {
    this.addSql(endpoints);
    this.addSql(sight);
  }
}

const endpoints = `
alter table webhook_endpoints add column member_id text;

-- What somebody with sight of the whole workspace made stays the workspace's when they leave; what a narrower
-- sight made falls silent with it.
create function wms.leave_endpoints() returns trigger language plpgsql as $$
begin
  update webhook_endpoints e set member_id = null
  where e.organization_id = old.organization_id and e.member_id = old.id and old.visibility = 'workspace';
  return old;
end $$;
create trigger members_leave_endpoints before delete on members for each row execute function wms.leave_endpoints();
`;

const sight = `
create function wms.member_sees(organization text, member text, body text) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  bound text := current_setting('app.organization', true);
  place text := body::jsonb #>> '{data,conversation_id}';
  sees boolean;
begin
  perform set_config('app.organization', organization, true);
  select m.visibility = 'workspace' or place is null or exists (
    select from conversations v
    where v.organization_id = organization and v.id = place and (v.assigned_member_id = member or (m.visibility = 'teams' and exists (
      select from team_members t where t.organization_id = organization and t.member_id = member
        and (t.team_id = v.assigned_team_id
          or (v.assigned_team_id is null and v.assigned_member_id is null and exists (
            select from number_teams n where n.organization_id = organization and n.number_id = v.number_id and n.team_id = t.team_id)))))))
  into sees from members m where m.organization_id = organization and m.id = member;
  perform set_config('app.organization', coalesce(bound, ''), true);
  return coalesce(sees, false);
end $$;
grant create on schema wms to wms_app;
alter function wms.member_sees owner to wms_app;
revoke create on schema wms from wms_app;
revoke all on function wms.member_sees from public;
grant execute on function wms.member_sees to wms_system;
`;
