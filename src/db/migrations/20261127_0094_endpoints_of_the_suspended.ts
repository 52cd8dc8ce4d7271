import { Migration } from '@mikro-orm/migrations';

/** A suspended member sees nothing, so what they made with a narrow sight gets nothing, as if they had left. */
export class Migration20261127_0094_endpoints_of_the_suspended extends Migration {
  override up(): void {
    this.addSql(sight);
  }
}

const sight = `
create or replace function wms.member_sees(organization text, member text, body text) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  bound text := current_setting('app.organization', true);
  place text := body::jsonb #>> '{data,conversation_id}';
  sees boolean;
begin
  perform set_config('app.organization', organization, true);
  select m.visibility = 'workspace' or m.status <> 'suspended' and (place is null or exists (
    select from conversations v
    where v.organization_id = organization and v.id = place and (v.assigned_member_id = member or (m.visibility = 'teams' and exists (
      select from team_members t where t.organization_id = organization and t.member_id = member
        and (t.team_id = v.assigned_team_id
          or (v.assigned_team_id is null and v.assigned_member_id is null and exists (
            select from number_teams n where n.organization_id = organization and n.number_id = v.number_id and n.team_id = t.team_id))))))))
  into sees from members m where m.organization_id = organization and m.id = member;
  perform set_config('app.organization', coalesce(bound, ''), true);
  return coalesce(sees, false);
end $$;
`;
