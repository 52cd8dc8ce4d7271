import { Migration } from '@mikro-orm/migrations';

/**
 * Each try keeps all webhooks waiting for up to 300 ms. Whoever reads the tables for longer than five of them does so for
 * hours, as a backup: a later hour will do.
 */
export class Migration20261127_0093_fewer_tries extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function wms.lock_history() returns void
      language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        analyze webhook_deliveries_staged, webhook_attempts_staged, events_staged;
        perform set_config('lock_timeout', '300ms', true);
        for tries in 1..5 loop
          begin
            lock table only webhook_deliveries, only webhook_attempts, only events in access exclusive mode;
            return;
          exception when lock_not_available then
            if tries = 5 then raise; end if;
            perform pg_sleep(0.1 + 0.4 * random());
          end;
        end loop;
      end $$`);
  }
}
