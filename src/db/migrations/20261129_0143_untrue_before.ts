import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/**
 * Who called and never wrote to any number has a window without words (migration 0142); and a file that was fetched is
 * there, also where it was called lost. Both are few.
 */
export class Migration20261129_0143_untrue_before extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update conversations v set unwritten_until = v.window_expires_at from contacts c
where v.window_expires_at is not null and c.organization_id = v.organization_id and c.id = v.contact_id
  and c.last_inbound_at is null`),
    );
    this.addSql(
      inEachWorkspace(`update media set state = 'kept' where state = 'lost' and sha256 <> ''`),
    );
  }
}
