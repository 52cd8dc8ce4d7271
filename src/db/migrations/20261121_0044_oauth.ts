import { Migration } from '@mikro-orm/migrations';

/**
 * The authorization server: who may ask people (clients), what people granted (connections and their grants), and
 * what is on its way (codes, refresh tokens, requests). Tokens and secrets stand here as hashes only.
 */
export class Migration20261121_0044_oauth extends Migration {
  override up(): void {
    this.addSql(clients);
    this.addSql(connections);
    this.addSql(shared);
    this.addSql(functions);
  }
}

const clients = `
-- Apps of the developer settings belong to a workspace; what registered by itself belongs to none.
create table oauth_clients (
  id text primary key,
  organization_id text references workspaces (organization_id),
  source text not null check (source in ('app', 'registered')),
  name text not null,
  -- The public metadata of RFC 7591, without the secret.
  metadata jsonb not null,
  scopes text[] not null,
  secret_hash bytea,
  secret_prefix text,
  -- The secret of before a rotation, until its 24 hours are over.
  previous_secret_hash bytea,
  previous_valid_until timestamptz,
  verification text not null default 'unverified' check (verification in ('unverified', 'in_review', 'verified', 'rejected')),
  -- How the app says it uses data, and what a review answered.
  data_use text,
  review_note text,
  reviewed_at timestamptz,
  created_by text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  check ((source = 'app') = (organization_id is not null))
);
create index oauth_clients_of_workspace on oauth_clients (organization_id, id desc) where organization_id is not null;
create index oauth_clients_unused on oauth_clients (coalesce(last_used_at, created_at)) where source = 'registered';
call wms.own_by_workspace('oauth_clients');
call wms.open_to_system('oauth_clients', 'select, insert, delete, update (last_used_at)');
`;

const connections = `
create table oauth_connections (
  organization_id text not null,
  id text not null,
  client_id text not null references oauth_clients (id) on delete cascade,
  member_id text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, client_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
create index oauth_connections_of_client on oauth_connections (client_id);
create index oauth_connections_of_member on oauth_connections (organization_id, member_id);
call wms.own_by_workspace('oauth_connections');
call wms.open_to_system('oauth_connections', 'select, delete, update (last_used_at)');

-- What was granted at one consent. An app that is installed twice has two grants in one connection.
create table oauth_grants (
  organization_id text not null,
  id text not null,
  connection_id text not null,
  resource text,
  scopes text[] not null,
  created_at timestamptz not null,
  primary key (id),
  foreign key (organization_id, connection_id) references oauth_connections (organization_id, id) on delete cascade
);
create index oauth_grants_of_connection on oauth_grants (organization_id, connection_id);
call wms.own_by_workspace('oauth_grants');
call wms.open_to_system('oauth_grants', 'select, delete');

-- Whose token it is stands in the grant: the person is looked up before the workspace is known.
call wms.open_to_system('members', 'select (organization_id, id, name, email, role, status)');
`;

const shared = `
create table oauth_artifacts (
  model text not null,
  -- SHA-256 of the code, token or request, in hex; of a grant its id.
  key text not null,
  payload jsonb not null,
  grant_id text,
  consumed_at timestamptz,
  -- What a refresh was answered, for 30 seconds; only whoever has the old token can read it.
  answer text,
  expires_at timestamptz,
  primary key (model, key)
);
create index oauth_artifacts_of_grant on oauth_artifacts (grant_id) where grant_id is not null;
create index oauth_artifacts_past on oauth_artifacts (expires_at);
create index oauth_artifacts_answered on oauth_artifacts (consumed_at) where answer is not null;
grant select, insert, update, delete on oauth_artifacts to wms_system;

create table oauth_denied_tokens (
  jti text primary key,
  expires_at timestamptz not null
);
create index oauth_denied_tokens_past on oauth_denied_tokens (expires_at);
grant select, insert, delete on oauth_denied_tokens to wms_system;

create table oauth_signing_keys (
  kid text primary key,
  private_key text not null,
  state text not null check (state in ('next', 'active', 'retired')),
  created_at timestamptz not null,
  active_at timestamptz,
  retired_at timestamptz
);
create unique index oauth_signing_keys_active on oauth_signing_keys (state) where state = 'active';
grant select, insert, update, delete on oauth_signing_keys to wms_system;
`;

const functions = `
-- Codes and tokens end with their grant, however it ends: by a disconnect, a deleted app, a member who is removed.
create function wms.end_grant() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from oauth_artifacts a where a.grant_id = old.id;
  delete from oauth_artifacts a where a.model = 'Grant' and a.key = old.id;
  return null;
end $$;

-- What a workspace may know of an app of another one, or of nobody's: only once it is connected.
create function wms.connected_app(client text, out name text, out uri text, out source text, out verification text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.name, c.metadata ->> 'client_uri', c.source, c.verification from oauth_clients c
  where c.id = client and exists (select from oauth_connections k where k.organization_id = wms.organization() and k.client_id = c.id)
$$;

-- Whether one more workspace may connect the app. Holds the app until the commit: two at once are counted one by one.
create function wms.may_connect(client text, most int) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  app oauth_clients%rowtype;
begin
  select * into app from oauth_clients c where c.id = client for update;
  if not found then return false; end if;
  if app.source <> 'app' or app.verification = 'verified' or app.organization_id = wms.organization() then return true; end if;
  return (select count(distinct k.organization_id) from oauth_connections k
    where k.client_id = client and k.organization_id not in (app.organization_id, wms.organization())) < most;
end $$;

grant create on schema wms to wms_system;
alter function wms.end_grant owner to wms_system;
alter function wms.connected_app owner to wms_system;
alter function wms.may_connect owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.end_grant, wms.connected_app, wms.may_connect from public;
grant execute on function wms.connected_app, wms.may_connect to wms_app;
create trigger oauth_grants_end after delete on oauth_grants for each row execute function wms.end_grant();
`;
