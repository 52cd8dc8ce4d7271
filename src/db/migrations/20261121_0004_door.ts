import { Migration } from '@mikro-orm/migrations';

/** What each request asks of the database first: who is it, has it requests left, which workspace is it. */
export class Migration20261121_0004_door extends Migration {
  override up(): void {
    this.addSql(takeRequest);
    this.addSql(enter);
  }
}

const takeRequest = `
-- Counts one request. A window of 61 one-second counters (the running second and the sixty before it)
-- never lets more than the limit through in any 60 seconds, wherever they begin.
create function wms.take_request(credential text, quota int, out allowed boolean, out remaining int, out reset_s int)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  size constant int := 61;
  t bigint := floor(extract(epoch from clock_timestamp()));
  w rate_windows%rowtype;
  s bigint;
begin
  select * into w from rate_windows r where r.credential_id = credential for update;
  if not found then
    insert into rate_windows values (credential, t, 0, array_fill(0::smallint, array[size])) on conflict do nothing;
    select * into w from rate_windows r where r.credential_id = credential for update;
    t := floor(extract(epoch from clock_timestamp()));
  end if;
  t := greatest(t, w.second);
  if t - w.second >= size then
    w.slots := array_fill(0::smallint, array[size]); w.total := 0;
  else
    s := w.second;
    while s < t loop
      s := s + 1;
      w.total := w.total - w.slots[1 + s % size];
      w.slots[1 + s % size] := 0;
    end loop;
  end if;
  allowed := w.total < quota;
  if allowed then
    w.slots[1 + t % size] := w.slots[1 + t % size] + 1;
    w.total := w.total + 1;
  end if;
  remaining := greatest(0, quota - w.total);
  reset_s := size;
  for i in 1..size loop
    if w.slots[1 + (t + i) % size] > 0 then reset_s := i; exit; end if;
  end loop;
  update rate_windows r set second = t, total = w.total, slots = w.slots where r.credential_id = credential;
end $$;
grant create on schema wms to wms_system;
alter function wms.take_request owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.take_request from public;
grant execute on function wms.take_request to wms_app, wms_system;
`;

const enter = `
-- An API key's way in, one statement: find it by its hash, refuse it when revoked or expired by the
-- database's clock, count the request, and bind this connection to its workspace until it is released.
create function wms.enter(key_hash bytea, quota int, out organization_id text, out key_id text, out account_id text, out account_name text,
  out scopes text[], out allowed boolean, out remaining int, out reset_s int, out server_now timestamptz)
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
  if used is null or used < server_now - interval '1 minute' then
    update api_keys k set last_used_at = server_now where k.organization_id = enter.organization_id and k.id = key_id;
  end if;
  perform set_config('app.organization', organization_id, false);
end $$;
grant create on schema wms to wms_system;
alter function wms.enter owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.enter from public;
grant execute on function wms.enter to wms_app;
`;
