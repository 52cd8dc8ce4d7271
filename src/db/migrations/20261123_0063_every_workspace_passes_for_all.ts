import { Migration } from '@mikro-orm/migrations';

/**
 * As a twentieth of its table a workspace passed for five rows while the table was young. A plan made then, and kept by
 * a prepared statement, read all of the workspace's rows for each row of another table when they were thousands: 50
 * runs of automations a second lagged behind by 31 ms more each second. So every workspace passes for all of its table:
 * whoever knows an id is never better served by anything but the index of ids.
 */
export class Migration20261123_0063_every_workspace_passes_for_all extends Migration {
  override up(): void {
    this.addSql(`
      create procedure wms.expect_one_workspace(tbl regclass) language plpgsql as $$
      declare
        place record;
      begin
        if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then return; end if;
        select n.nspname as schema, c.relname as name into place
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = tbl;
        execute format('alter table %s alter column organization_id set statistics 0', tbl);
        execute format('select pg_clear_attribute_stats(%L, %L, ''organization_id'', false)', place.schema, place.name);
        call wms.expect_one_value(tbl, 'organization_id');
      end $$;

      create or replace procedure wms.own_by_workspace(tbl regclass, privileges text default 'select, insert, update, delete') language plpgsql as $$
      begin
        execute format('alter table %s enable row level security', tbl);
        execute format('alter table %s force row level security', tbl);
        execute format('create policy workspace on %s to wms_app using (organization_id = wms.organization()) with check (organization_id = wms.organization())', tbl);
        execute format('grant %s on %s to wms_app', privileges, tbl);
        if (select relkind = 'r' and not relispartition from pg_class where oid = tbl) then call wms.expect_one_workspace(tbl);
        else call wms.expect_one_value(tbl, 'organization_id');
        end if;
      end $$;
      drop procedure wms.expect_a_share;

      do $$
      declare
        tbl regclass;
      begin
        for tbl in
          select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
            and a.attname = 'organization_id'
        loop
          call wms.expect_one_workspace(tbl);
        end loop;
      end $$;
    `);
  }
}
