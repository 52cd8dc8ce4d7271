import { Migration } from '@mikro-orm/migrations';

/**
 * A campaign that was cancelled while sends were under way is looked after until they have an outcome, also when its
 * workflow is lost. Looked for among those that are open, by one index in the order of asking. Campaigns are locked here,
 * so those from before are looked for later (migration 0086).
 */
export class Migration20261123_0074_unsettled_campaigns extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column unsettled boolean not null default false');
    this.addSql('grant select (finished_at, unsettled) on campaigns to wms_system');
    this.addSql(`
drop index campaigns_open;
create index campaigns_open on campaigns (id) where status in ('scheduled', 'sending') or unsettled;`);
  }
}
