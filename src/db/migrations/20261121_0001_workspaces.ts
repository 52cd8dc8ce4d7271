import { Migration } from '@mikro-orm/migrations';

/**
 * Roles, the helpers every later migration uses, and the nouns that own a workspace.
 *
 * `wms_app` sees one workspace at a time (row level security). `wms_system` crosses workspaces, on the
 * tables opened to it alone. Neither can log in and neither bypasses row level security.
 */
export class Migration20261121_0001_workspaces extends Migration {
  override up(): void {
    this.addSql(roles);
    this.addSql(helpers);
    this.addSql(plans);
    this.addSql(workspaces);
    this.addSql(people);
    this.addSql(keys);
    this.addSql(audit);
  }
}

const roles = `
do $$ begin
  perform pg_advisory_xact_lock(7261001);
  if not exists (select from pg_roles where rolname = 'wms_app') then create role wms_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'wms_system') then create role wms_system nologin; end if;
  if not pg_has_role(current_user, 'wms_app', 'set') then execute format('grant wms_app to %I', current_user); end if;
  if not pg_has_role(current_user, 'wms_system', 'set') then execute format('grant wms_system to %I', current_user); end if;
end $$;
create schema if not exists wms;
grant usage on schema wms, public to wms_app, wms_system;
`;

const helpers = `
create function wms.organization() returns text language sql stable as
  $$ select current_setting('app.organization', true) $$;

-- Makes a table a workspace's own: forced row level security, and the app's grants.
create procedure wms.own_by_workspace(tbl regclass, privileges text default 'select, insert, update, delete') language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tbl);
  execute format('alter table %s force row level security', tbl);
  execute format('create policy workspace on %s to wms_app using (organization_id = wms.organization()) with check (organization_id = wms.organization())', tbl);
  execute format('grant %s on %s to wms_app', privileges, tbl);
  call wms.expect_one_value(tbl, 'organization_id');
end $$;

-- Until a table is first analysed, "of this workspace" passes for selective, and any index that begins with the
-- workspace for as good as the primary key: a foreign key's cached plan then reads the whole workspace for each
-- row. So a table starts out knowing that one value may be in all its rows; the first analyze knows better.
create procedure wms.expect_one_value(tbl regclass, col text) language plpgsql as $$
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then return; end if;
  execute (select format('select pg_restore_attribute_stats(''schemaname'', %L, ''relname'', %L, ''attname'', %L, ''inherited'', false,
      ''null_frac'', 0::real, ''avg_width'', 30, ''n_distinct'', 1::real)', n.nspname, c.relname, col)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = tbl);
end $$;

-- Lets the system role cross workspaces on this table, on no more than the given columns.
create procedure wms.open_to_system(tbl regclass, privileges text) language plpgsql as $$
begin
  execute format('create policy across_workspaces on %s to wms_system using (true) with check (true)', tbl);
  execute format('grant %s on %s to wms_system', privileges, tbl);
end $$;
`;

const plans = `
create table plans (
  name text primary key,
  webhook_endpoints int not null,
  numbers int not null,
  seats int not null,
  contacts int not null,
  campaign_recipients int not null,
  active_automations int not null,
  active_reminders int not null,
  max_pace int not null,
  history_months int
);
insert into plans values
  ('essencial', 2, 1, 3, 5000, 3000, 5, 50, 60, 6),
  ('profissional', 10, 5, 15, 50000, 50000, 50, 1000, 600, 24),
  ('escala', 30, 20, 60, 500000, 1000000, 500, 20000, 4800, null);
grant select on plans to wms_app, wms_system;
`;

const workspaces = `
create table workspaces (
  organization_id text primary key,
  name text not null,
  plan text not null references plans (name),
  time_zone text not null default 'America/Sao_Paulo',
  language text not null default 'pt-BR',
  created_at timestamptz not null
);
call wms.own_by_workspace('workspaces');
call wms.open_to_system('workspaces', 'select');
`;

const people = `
create table members (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'agent', 'viewer')),
  visibility text not null default 'workspace' check (visibility in ('workspace', 'teams', 'assigned')),
  status text not null default 'active' check (status in ('invited', 'active', 'suspended')),
  password_hash text,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index members_email on members (organization_id, lower(email));
call wms.own_by_workspace('members');

create table teams (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index teams_name on teams (organization_id, lower(name));
call wms.own_by_workspace('teams');

create table team_members (
  organization_id text not null,
  team_id text not null,
  member_id text not null,
  primary key (organization_id, team_id, member_id),
  foreign key (organization_id, team_id) references teams (organization_id, id) on delete cascade,
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
call wms.own_by_workspace('team_members');
`;

const keys = `
create table service_accounts (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('service_accounts');
call wms.open_to_system('service_accounts', 'select');

create table api_keys (
  organization_id text not null,
  id text not null,
  service_account_id text not null,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, service_account_id) references service_accounts (organization_id, id)
);
call wms.own_by_workspace('api_keys');
call wms.open_to_system('api_keys', 'select, update (last_used_at)');

-- One row a credential with a counter a second. It is unlogged: losing it in a crash forgives a minute.
create unlogged table rate_windows (
  credential_id text primary key,
  second bigint not null,
  total int not null,
  slots smallint[] not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
grant select, insert, update, delete on rate_windows to wms_system;

create table idempotency_keys (
  organization_id text not null references workspaces (organization_id),
  credential_id text not null,
  key text not null,
  fingerprint bytea not null,
  status int not null,
  body text not null,
  request_id text not null,
  created_at timestamptz not null,
  primary key (organization_id, credential_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
call wms.own_by_workspace('idempotency_keys');
call wms.open_to_system('idempotency_keys', 'select (created_at), delete');
`;

const audit = `
create table audit_heads (
  organization_id text primary key references workspaces (organization_id),
  seq bigint not null,
  hash bytea not null
);
call wms.own_by_workspace('audit_heads', 'select, insert, update');

create table audit_entries (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  seq bigint not null,
  action text not null,
  actor jsonb not null,
  target jsonb not null,
  changes jsonb not null,
  ip text,
  user_agent text,
  request_id text,
  created_at timestamptz not null,
  hash bytea not null,
  primary key (organization_id, id),
  unique (organization_id, seq)
);
call wms.own_by_workspace('audit_entries', 'select, insert');
`;
