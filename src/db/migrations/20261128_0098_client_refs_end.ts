import { Migration } from '@mikro-orm/migrations';

/** References of clients go once their 30 days are over, of all workspaces by their age. */
export class Migration20261128_0098_client_refs_end extends Migration {
  override up(): void {
    this.addSql('create index client_refs_age on client_refs (created_at)');
  }
}
