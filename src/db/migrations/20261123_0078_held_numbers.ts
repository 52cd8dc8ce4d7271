import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Since when a number is held (`wms ops hold`), also one that was down already: what gives it back does not release it. */
export class Migration20261123_0078_held_numbers extends Migration {
  override up(): void {
    this.addSql('alter table numbers add column held_at timestamptz');
    this.addSql('grant select (held_at) on numbers to wms_system');
    this.addSql(
      inEachWorkspace(
        "update numbers set held_at = status_changed_at where status = 'disconnected' and status_reason = 'held'",
      ),
    );
  }
}
