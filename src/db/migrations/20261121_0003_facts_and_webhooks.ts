import { Migration } from '@mikro-orm/migrations';

/** The facts queue, the webhook endpoints, and what is kept 30 days, partitioned by the event's UTC day. */
export class Migration20261121_0003_facts_and_webhooks extends Migration {
  override up(): void {
    this.addSql(facts);
    this.addSql(endpoints);
    this.addSql(deliveries);
    this.addSql(partitions);
  }
}

const facts = `
-- The UTC day inside an event's or delivery's id, and so its partition: ten digits of milliseconds in base 32.
create function wms.id_day(id text) returns date language sql immutable strict parallel safe as $$
  select date '1970-01-01' + ((
    ${Array.from({ length: 10 }, (_, i) => `((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(id, ${i + 5}, 1)) - 1)::bigint << ${45 - 5 * i})`).join(' | ')}
  ) / 86400000)::int
$$;

-- A small queue: done is DELETE. \`payload\` is the exact body of a webhook event, or a command's JSON.
create table facts (
  organization_id text not null,
  id text primary key,
  type text not null,
  is_event boolean not null,
  payload text not null,
  created_at timestamptz not null default now(),
  not_before timestamptz not null default now(),
  lease_token text,
  tries int not null default 0,
  dead_at timestamptz,
  error text
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
create index facts_events on facts (id) where is_event and dead_at is null;
create index facts_commands on facts (not_before, id) where not is_event and dead_at is null;
call wms.own_by_workspace('facts', 'select, insert');
call wms.open_to_system('facts', 'select, insert, update, delete');
`;

const endpoints = `
create table webhook_endpoints (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  url text not null,
  events text[] not null,
  status text not null default 'active' check (status in ('active', 'paused')),
  secret text not null,
  previous_secret text,
  previous_valid_until timestamptz,
  secret_version int not null default 1,
  failures_in_row int not null default 0,
  deleted_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, id)
) with (fillfactor = 70);
create index webhook_endpoints_id on webhook_endpoints (id);
create index webhook_endpoints_live on webhook_endpoints (organization_id) where deleted_at is null;
call wms.own_by_workspace('webhook_endpoints');
call wms.open_to_system('webhook_endpoints', 'select, update (failures_in_row)');
`;

const deliveries = `
-- Keys begin with the id: an index that began with the day would look useful for finding everything of a day.
create table events (
  day date not null,
  organization_id text not null,
  id text not null,
  type text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (id, day)
) partition by range (day);
call wms.own_by_workspace('events', 'select, insert');
call wms.open_to_system('events', 'select, insert');

create table webhook_deliveries (
  day date not null,
  organization_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  status text not null check (status in ('pending', 'retrying', 'succeeded', 'failed', 'blocked', 'held')),
  attempts int not null default 0,
  round int not null default 1,
  round_attempts int not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz,
  lease_token text,
  lease_until timestamptz,
  owned_by_workflow boolean not null default false,
  code int,
  duration_ms int,
  response text,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (id, day),
  unique (event_id, endpoint_id, day)
) partition by range (day);
-- Lane 1: what no living process has in hand. Lanes 2 and 3: what waits for a free slot, and what holds one.
create index webhook_deliveries_due on webhook_deliveries (lease_until) where status = 'pending' and not owned_by_workflow;
create index webhook_deliveries_unowned on webhook_deliveries (next_attempt_at) where status = 'retrying' and not owned_by_workflow;
create index webhook_deliveries_owned on webhook_deliveries (organization_id, endpoint_id) where owned_by_workflow and finished_at is null;
create index webhook_deliveries_open on webhook_deliveries (organization_id, endpoint_id, id) where finished_at is null;
create index webhook_deliveries_of_endpoint on webhook_deliveries (organization_id, endpoint_id, id desc);
call wms.own_by_workspace('webhook_deliveries');
call wms.open_to_system('webhook_deliveries', 'select, insert, update');

create table webhook_attempts (
  day date not null,
  organization_id text not null,
  delivery_id text not null,
  number int not null,
  started_at timestamptz not null,
  code int,
  duration_ms int not null,
  response text,
  error text,
  primary key (delivery_id, number, day)
) partition by range (day);
call wms.own_by_workspace('webhook_attempts', 'select, insert');
call wms.open_to_system('webhook_attempts', 'select, insert');
`;

const partitions = `
-- Partitions for today and the days ahead. One process makes them; row level security is the parent's.
create function wms.ensure_partitions(days_ahead int) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  parent text; d date; made int := 0; name text;
begin
  perform pg_advisory_xact_lock(7261002);
  foreach parent in array array['events', 'webhook_deliveries', 'webhook_attempts'] loop
    for d in select generate_series((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + days_ahead, interval '1 day')::date loop
      name := parent || '_' || to_char(d, 'YYYYMMDD');
      continue when to_regclass(name) is not null;
      execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, d, d + 1);
      if parent = 'webhook_deliveries' then execute format('alter table %I set (fillfactor = 70)', name); end if;
      execute format('alter table %I enable row level security', name);
      execute format('alter table %I force row level security', name);
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;
revoke all on function wms.ensure_partitions from public;
grant execute on function wms.ensure_partitions to wms_system;

create function wms.partitions_ready() returns boolean language sql stable as $$
  select bool_and(to_regclass('public.' || parent || '_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD')) is not null)
  from unnest(array['events', 'webhook_deliveries', 'webhook_attempts']) parent
$$;
select wms.ensure_partitions(7);
`;
