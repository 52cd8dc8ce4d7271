import { Migration } from '@mikro-orm/migrations';

/** What decides who sees and may do what, and who is there to answer. */
export class Migration20261121_0005_people_and_access extends Migration {
  override up(): void {
    this.addSql(people);
    this.addSql(entering);
  }
}

const people = `
alter table members
  -- Permissions that were switched on for one Agent (design decisions §17).
  add column options text[] not null default '{}',
  -- How many open conversations the assignment queue gives to the member at once.
  add column capacity int not null default 10 check (capacity between 0 and 500),
  add column online_until timestamptz;

alter table teams
  -- Waiting conversations of the team go to its members who are online.
  add column auto_assign boolean not null default false;

alter table numbers
  add constraint numbers_default_team foreign key (organization_id, default_team_id) references teams (organization_id, id);

-- One row says whether a member sees only a part: then numbers are looked up by team.
create index number_teams_of_team on number_teams (organization_id, team_id);
create index team_members_of_member on team_members (organization_id, member_id);
create index conversations_of_member on conversations (organization_id, assigned_member_id, id desc) where assigned_member_id is not null;
create index conversations_of_team on conversations (organization_id, assigned_team_id, id desc) where assigned_team_id is not null;
`;

const entering = `
-- A member's way in, after the token was checked: counts the request and binds this connection to the workspace.
create function wms.enter_as(organization text, credential text, quota int, out allowed boolean, out remaining int, out reset_s int)
language plpgsql volatile as $$
begin
  select r.allowed, r.remaining, r.reset_s into allowed, remaining, reset_s from wms.take_request(credential, quota) r;
  perform set_config('app.organization', organization, false);
end $$;
revoke all on function wms.enter_as from public;
grant execute on function wms.enter_as to wms_app;
`;
