import { Migration } from '@mikro-orm/migrations';

/** An app goes on in every workspace that it is connected to, also one that was verified when most of them connected. */
export class Migration20261123_0075_connected_workspaces extends Migration {
  override up(): void {
    this.addSql(mayConnect);
  }
}

const mayConnect = `
-- Whether the workspace may connect the app. Holds the app until the commit: two at once are counted one by one.
create or replace function wms.may_connect(client text, most int) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  app oauth_clients%rowtype;
begin
  select * into app from oauth_clients c where c.id = client for update;
  if not found then return false; end if;
  if app.source <> 'app' or app.verification = 'verified' or app.organization_id = wms.organization()
    or exists (select from oauth_connections k where k.client_id = client and k.organization_id = wms.organization()) then
    return true;
  end if;
  return (select count(distinct k.organization_id) from oauth_connections k
    where k.client_id = client and k.organization_id <> app.organization_id) < most;
end $$;
`;
