import { Migration } from '@mikro-orm/migrations';

/** The retries of a campaign, which each claim of one of them looks for. */
export class Migration20261127_0089_retries_of_campaigns extends Migration {
  override up(): void {
    this.addSql(
      'create index campaigns_retries on campaigns (organization_id, retry_of) where retry_of is not null',
    );
  }
}
