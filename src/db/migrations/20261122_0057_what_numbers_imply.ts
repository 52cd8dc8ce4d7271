import { Migration } from '@mikro-orm/migrations';

/**
 * A conversation belongs to a number of the same workspace, and a number to a workspace that exists: a conversation's
 * own reference to its workspace says nothing more, yet that row is looked up once more for each person whom a
 * campaign is the first to write to.
 */
export class Migration20261122_0057_what_numbers_imply extends Migration {
  override up(): void {
    this.addSql('alter table conversations drop constraint conversations_organization_id_fkey;');
  }
}
