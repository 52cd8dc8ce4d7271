import { Migration } from '@mikro-orm/migrations';

/**
 * What a campaign changes of a row costs little when no index has to be told: PostgreSQL leaves the indexes alone
 * while no column that any of them names has changed and the page has room for the new version. A recipient is
 * claimed, settled and delivered, hundreds at once and side by side, so half of each page is left free for them.
 * A message is changed as often, but there are many more of them, which reports read: a third of its pages.
 */
export class Migration20261121_0033_quick_recipients extends Migration {
  override up(): void {
    this.addSql(recipients);
    this.addSql(pages);
    this.addSql(conversations);
  }
}

// Only a claim changes what these name; before, each change of the status changed three indexes.
const recipients = `
alter table campaign_recipients
  add column pending boolean not null generated always as (status = 'pending') stored,
  add column skipped_at timestamptz generated always as (case when status = 'skipped' then settled_at end) stored;
drop index campaign_recipients_pending;
drop index campaign_recipients_skipped;
drop index campaign_recipients_sending;
create index campaign_recipients_pending on campaign_recipients (organization_id, campaign_id, id) where pending;
create index campaign_recipients_skipped on campaign_recipients (organization_id, skipped_at) where skipped_at is not null;
`;

const pages = `
alter table campaign_recipients set (fillfactor = 45);
alter table messages set (fillfactor = 67);
`;

// One index is the key of a number's contact and finds all conversations of a contact too.
const conversations = `
drop index conversations_contact;
drop index conversations_of_contact;
create unique index conversations_contact on conversations (organization_id, contact_id, number_id);
`;
