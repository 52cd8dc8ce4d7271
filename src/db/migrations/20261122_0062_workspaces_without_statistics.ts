import { Migration } from '@mikro-orm/migrations';

/**
 * Statistics of `organization_id` know only the workspaces of their day. One that has grown since passes for having a
 * single row in every table, and then reading all its rows for each row of another table seems as cheap as an index:
 * with 10,000 contacts reports, a campaign's page, merging two contacts and the outcomes of a reminder ran into the
 * statement timeout. So no statistics are collected of it, and every workspace passes for a twentieth of its table:
 * too much to be read again and again. Not in the partitioned tables of webhooks, whose queue has plans of its own.
 */
export class Migration20261122_0062_workspaces_without_statistics extends Migration {
  override up(): void {
    this.addSql(`
      -- By name, because PostgreSQL before 18 does not have it; there the statistics go on being collected.
      create procedure wms.expect_a_share(tbl regclass) language plpgsql as $$
      declare
        place record;
      begin
        if to_regproc('pg_catalog.pg_restore_attribute_stats') is null then return; end if;
        select n.nspname as schema, c.relname as name into place
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = tbl;
        execute format('alter table %s alter column organization_id set statistics 0', tbl);
        execute format('select pg_clear_attribute_stats(%L, %L, ''organization_id'', false)', place.schema, place.name);
        execute format('select pg_restore_attribute_stats(''schemaname'', %L, ''relname'', %L, ''attname'', ''organization_id'',
          ''inherited'', false, ''null_frac'', 0::real, ''avg_width'', 30, ''n_distinct'', 20::real)', place.schema, place.name);
      end $$;

      create or replace procedure wms.own_by_workspace(tbl regclass, privileges text default 'select, insert, update, delete') language plpgsql as $$
      begin
        execute format('alter table %s enable row level security', tbl);
        execute format('alter table %s force row level security', tbl);
        execute format('create policy workspace on %s to wms_app using (organization_id = wms.organization()) with check (organization_id = wms.organization())', tbl);
        execute format('grant %s on %s to wms_app', privileges, tbl);
        if (select relkind = 'r' and not relispartition from pg_class where oid = tbl) then call wms.expect_a_share(tbl);
        else call wms.expect_one_value(tbl, 'organization_id');
        end if;
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
