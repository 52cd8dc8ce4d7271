import { Migration } from '@mikro-orm/migrations';

/**
 * A contact that is merged or forgotten takes all its recipients along, whatever became of them and under
 * whichever phone they were written to. It is as large as the index that it replaces.
 */
export class Migration20261121_0017_recipients_of_contacts extends Migration {
  override up(): void {
    this.addSql(`
drop index campaign_recipients_contact;
create index campaign_recipients_contact on campaign_recipients (organization_id, contact_id) where contact_id is not null;
`);
  }
}
