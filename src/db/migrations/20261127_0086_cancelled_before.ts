import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Campaigns cancelled before there was `unsettled` (migration 0074), among whose recipients some have no outcome. */
export class Migration20261127_0086_cancelled_before extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update campaigns c set unsettled = true where c.status = 'cancelled' and not c.unsettled and exists (
  select from campaign_recipients r where r.organization_id = c.organization_id and r.campaign_id = c.id
    and r.status in ('pending', 'sending'))`),
    );
  }
}
