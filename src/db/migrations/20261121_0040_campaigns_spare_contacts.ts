import { Migration } from '@mikro-orm/migrations';

/**
 * A campaign touches no contact: contacts have many indexes, and their pages little room. When somebody was last
 * written to is with the conversation, which is written anyway; that a message of a campaign arrived is with the
 * message. What arrived before `reached_since` says nothing about the phone that the contact has now.
 */
export class Migration20261121_0040_campaigns_spare_contacts extends Migration {
  override up(): void {
    this.addSql('alter table conversations add column last_outbound_at timestamptz;');
    this.addSql('alter table contacts add column reached_since timestamptz;');
  }
}
