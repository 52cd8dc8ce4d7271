import { Migration } from '@mikro-orm/migrations';

/**
 * References of clients are let go by the system. Apart from the index for it (0098): the policy locks out whoever
 * looks a reference up, who may be about to store it, and so wait for an index that is being built.
 */
export class Migration20261128_0097_client_refs_opened extends Migration {
  override up(): void {
    // Databases between releases have it from 0098.
    this.addSql(`do $$ begin
  if not exists (select from pg_policy where polrelid = 'client_refs'::regclass and polname = 'across_workspaces') then
    call wms.open_to_system('client_refs', 'select (created_at), delete');
  end if;
end $$`);
  }
}
