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
      -- The share is all of it. What had been collected before, migration 0062 has removed.
      create or replace procedure wms.expect_a_share(tbl regclass) language plpgsql as $$
      begin
        if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then return; end if;
        execute format('alter table %s alter column organization_id set statistics 0', tbl);
        call wms.expect_one_value(tbl, 'organization_id');
      end $$;

      do $$
      declare
        tbl regclass;
      begin
        for tbl in
          select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
            and a.attname = 'organization_id'
        loop
          call wms.expect_a_share(tbl);
        end loop;
      end $$;
    `);
  }
}
