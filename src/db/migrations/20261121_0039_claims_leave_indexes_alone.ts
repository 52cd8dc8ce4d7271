import { Migration } from '@mikro-orm/migrations';

/**
 * Claiming and settling a recipient change no column that an index names, so that PostgreSQL leaves all indexes
 * alone. Whoever is due is found along the primary key, behind the last one who was claimed. The message of a
 * campaign is written down when its answer is known; a status webhook that is quicker finds the recipient by what
 * the ids of the two have in common: their last 16 characters, which are there from the freezing on.
 */
export class Migration20261121_0039_claims_leave_indexes_alone extends Migration {
  override up(): void {
    this.addSql(recipients);
    this.addSql(losses);
  }
}

// A stored column, for under row level security only leakproof conditions reach an index, and right() is none.
const recipients = `
drop index campaign_recipients_pending;
drop index campaign_recipients_message;
alter table campaign_recipients
  drop column pending,
  add column message_key text not null generated always as (right(id, 16)) stored;
create index campaign_recipients_message on campaign_recipients (organization_id, message_key);
`;

const losses = `
create trigger messages_note_no_whatsapp_new after insert on messages for each row
  when (new.status = 'failed' and new.contact_id is not null and new.error ->> 'provider_code' = '131026')
  execute function wms.note_no_whatsapp();
`;
