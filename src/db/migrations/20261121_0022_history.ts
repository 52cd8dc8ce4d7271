import { Migration } from '@mikro-orm/migrations';

/**
 * What was delivered goes 30 days after its day, a partition at a time; what is still to be delivered stays.
 * A day is replaced by a smaller partition of the same day, so that every query goes on finding what was kept.
 */
export class Migration20261121_0022_history extends Migration {
  override up(): void {
    this.addSql(ranges);
    this.addSql(stage);
    this.addSql(lock);
    this.addSql(replace);
    this.addSql(keep);
  }
}

const TABLES = `array['webhook_deliveries', 'webhook_attempts', 'events']`;

const ranges = `
-- What was kept and has ended goes row by row in the end.
grant delete on events, webhook_deliveries, webhook_attempts to wms_system;

-- The days from \`first\` until before \`past\` that each partition holds. \`kept\` ones were replaced already.
create function wms.history_ranges() returns table (parent text, name text, first date, past date, kept boolean)
language sql stable set search_path = public, pg_temp set datestyle = 'ISO' as $$
  select p.relname::text, c.relname::text, days[1]::date, days[2]::date, c.relname like '%\\_kept\\_%'
  from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid,
    regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM \\(''([0-9-]+)''\\) TO \\(''([0-9-]+)''\\)$') days
  where p.relnamespace = 'public'::regnamespace and p.relname = any(${TABLES})
$$;
revoke all on function wms.history_ranges from public;
grant execute on function wms.history_ranges to wms_system;
`;

const stage = `
-- Empty tables for what is kept, which only this transaction sees. False while another one is at it.
create function wms.stage_history(first date, past date) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare parent text;
begin
  if past > (now() at time zone 'UTC')::date - 30 then raise exception 'the history of the last 30 days stays as it is'; end if;
  if not pg_try_advisory_xact_lock(7261022) then return false; end if;
  foreach parent in array ${TABLES} loop
    execute format('create table %I (like %I including all)', parent || '_staged', parent);
    -- With it the table becomes a partition without being read again.
    execute format('alter table %I add constraint kept_days check (day >= %L and day < %L)', parent || '_staged', first, past);
    execute format('grant select, insert, delete on %I to wms_system', parent || '_staged');
  end loop;
  return true;
end $$;
revoke all on function wms.stage_history from public;
grant execute on function wms.stage_history to wms_system;
`;

const lock = `
-- From here until the end of the transaction nobody else reads or writes the three tables. Those who hold one of
-- them and want another in turn would wait for ever: this gives up before anyone is found to be in a deadlock.
create function wms.lock_history() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  analyze webhook_deliveries_staged, webhook_attempts_staged, events_staged;
  perform set_config('lock_timeout', '300ms', true);
  for tries in 1..30 loop
    begin
      lock table only webhook_deliveries, only webhook_attempts, only events in access exclusive mode;
      return;
    exception when lock_not_available then
      if tries = 30 then raise; end if;
      perform pg_sleep(0.1 + 0.4 * random());
    end;
  end loop;
end $$;
revoke all on function wms.lock_history from public;
grant execute on function wms.lock_history to wms_system;
`;

const replace = `
create function wms.replace_history(first date, past date, keeps boolean) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare old record; parent text; stage text; kept text;
begin
  for old in select r.parent, r.name from wms.history_ranges() r
    where r.first >= replace_history.first and r.past <= replace_history.past loop
    execute format('alter table %I detach partition %I', old.parent, old.name);
    execute format('drop table %I', old.name);
  end loop;
  foreach parent in array ${TABLES} loop
    stage := parent || '_staged';
    if keeps then
      execute format('revoke all on %I from wms_system', stage);
      execute format('alter table %I enable row level security', stage);
      execute format('alter table %I force row level security', stage);
      kept := parent || '_kept_' || to_char(first, 'YYYYMMDD') || '_' || to_char(past, 'YYYYMMDD');
      execute format('alter table %I rename to %I', stage, kept);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, kept, first, past);
      execute format('alter table %I drop constraint kept_days', kept);
    else
      execute format('drop table %I', stage);
    end if;
  end loop;
end $$;
revoke all on function wms.replace_history from public;
grant execute on function wms.replace_history to wms_system;
`;

/**
 * Copies first, while everyone works on; then, alone for a moment, copies what changed meanwhile: what no transaction
 * had written that was over before the copy began. An attempt is recorded together with a change of its delivery, and
 * events never change. Answers false while another one is at it.
 */
const keep = `
create function wms.keep_history(first date, past date, everything boolean) returns boolean
language plpgsql set search_path = public, pg_temp
set enable_seqscan = on set enable_bitmapscan = on set enable_hashjoin = on set enable_mergejoin = on set jit = off as $$
declare
  since xid;
  changed text[];
  keeps boolean;
begin
  if not wms.stage_history(first, past) then return false; end if;
  since := pg_snapshot_xmin(pg_current_snapshot())::xid;

  insert into webhook_deliveries_staged select d.* from webhook_deliveries d
  where d.day >= first and d.day < past and (everything or d.finished_at is null);
  insert into webhook_attempts_staged select a.* from webhook_attempts a
  where a.day >= first and a.day < past and exists (select from webhook_deliveries_staged d where d.id = a.delivery_id);
  insert into events_staged select v.* from events v
  where v.day >= first and v.day < past and exists (select from webhook_deliveries_staged d where d.event_id = v.id);

  perform wms.lock_history();

  if everything then
    changed := array(select d.id from webhook_deliveries d
      where d.day >= first and d.day < past and age(d.xmin) <= age(since));
  else
    -- Each of the three lanes by its own index: how much of the day has ended does not matter.
    with open as materialized (
      select d.id, age(d.xmin) <= age(since) as fresh from webhook_deliveries d
      where d.day >= first and d.day < past and d.in_backlog
      union all
      select d.id, age(d.xmin) <= age(since) from webhook_deliveries d
      where d.day >= first and d.day < past and d.status in ('pending', 'retrying') and not d.owned_by_workflow and not d.in_backlog
      union all
      select d.id, age(d.xmin) <= age(since) from webhook_deliveries d
      where d.day >= first and d.day < past and d.owned_by_workflow and d.finished_at is null
    )
    select array(select o.id from open o where o.fresh
      union select s.id from webhook_deliveries_staged s where not exists (select from open o where o.id = s.id)) into changed;
  end if;
  if cardinality(changed) > 0 then
    delete from webhook_deliveries_staged where id = any(changed);
    insert into webhook_deliveries_staged select d.* from webhook_deliveries d
    where d.day >= first and d.day < past and d.id = any(changed);
    insert into webhook_attempts_staged select a.* from webhook_attempts a
    where a.day >= first and a.day < past and a.delivery_id = any(changed) on conflict do nothing;
    insert into events_staged select v.* from events v
    where v.day >= first and v.day < past
      and v.id in (select d.event_id from webhook_deliveries_staged d where d.id = any(changed)) on conflict do nothing;
  end if;

  keeps := exists (select from webhook_deliveries_staged);
  perform wms.replace_history(first, past, keeps);
  return true;
end $$;
revoke all on function wms.keep_history from public;
grant execute on function wms.keep_history to wms_system;
`;
