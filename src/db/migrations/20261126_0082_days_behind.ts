import { Migration } from '@mikro-orm/migrations';

/**
 * Partitions are made by workers, for the days ahead. While no worker ran for longer than that, events of days came
 * that had none: their facts were taken for broken ones and set aside.
 */
export class Migration20261126_0082_days_behind extends Migration {
  override up(): void {
    this.addSql('drop function wms.ensure_partitions(int)');
    this.addSql(partitions);
  }
}

const partitions = `
-- Partitions for yesterday, today and the days ahead, and for those since \`oldest\`, at most ninety, that none holds.
create function wms.ensure_partitions(days_ahead int, oldest date default null) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  today date := (now() at time zone 'UTC')::date;
  table_name text; d date; made int := 0; name text;
begin
  perform pg_advisory_xact_lock(7261002);
  foreach table_name in array array['events', 'webhook_deliveries', 'webhook_attempts'] loop
    for d in select generate_series(greatest(least(oldest, today - 1), today - 90), today + days_ahead, interval '1 day')::date loop
      name := table_name || '_' || to_char(d, 'YYYYMMDD');
      continue when to_regclass(name) is not null;
      -- What was kept of days long past stands in partitions of several days.
      continue when exists (select from wms.history_ranges() r where r.parent = table_name and d >= r.first and d < r.past);
      execute format('create table %I partition of %I for values from (%L) to (%L)', name, table_name, d, d + 1);
      if table_name = 'webhook_deliveries' then execute format('alter table %I set (fillfactor = 70)', name); end if;
      execute format('alter table %I enable row level security', name);
      execute format('alter table %I force row level security', name);
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;
revoke all on function wms.ensure_partitions from public;
grant execute on function wms.ensure_partitions to wms_system;
`;
