import { Migration } from '@mikro-orm/migrations';

/**
 * Where a key was last used from, beside when; and the system role forgets invitations that are past. A process of
 * the version before, which does not say where a call comes from, goes on as it did.
 */
export class Migration20261122_0047_where_keys_are_used extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column last_used_ip text');
    this.addSql('grant update (last_used_ip) on api_keys to wms_system');
    this.addSql('grant delete on invitations to wms_system');
    this.addSql(enter);
  }
}

const enter = `
drop function wms.enter(bytea, int);
create function wms.enter(key_hash bytea, quota int, caller text default null, out organization_id text, out key_id text,
  out account_id text, out account_name text, out scopes text[], out allowed boolean, out remaining int, out reset_s int,
  out server_now timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used timestamptz;
begin
  server_now := clock_timestamp();
  select k.organization_id, k.id, a.id, a.name, k.scopes, k.last_used_at
    into organization_id, key_id, account_id, account_name, scopes, used
  from api_keys k join service_accounts a on a.organization_id = k.organization_id and a.id = k.service_account_id
  where k.hash = key_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > server_now);
  if not found then
    perform set_config('app.organization', '', false);
    return;
  end if;
  select r.allowed, r.remaining, r.reset_s into allowed, remaining, reset_s from wms.take_request(key_id, quota) r;
  -- Written down at most once a minute: the first call of each.
  if used is null or used < server_now - interval '1 minute' then
    update api_keys k set last_used_at = server_now, last_used_ip = coalesce(caller, k.last_used_ip)
    where k.organization_id = enter.organization_id and k.id = key_id;
  end if;
  perform set_config('app.organization', organization_id, false);
end $$;
grant create on schema wms to wms_system;
alter function wms.enter owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.enter from public;
grant execute on function wms.enter to wms_app;
`;
