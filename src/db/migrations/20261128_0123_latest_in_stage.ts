import { Migration } from '@mikro-orm/migrations';

/** Of each stage the deals that came last into it, for the board. */
export class Migration20261128_0123_latest_in_stage extends Migration {
  override up(): void {
    this.addSql(
      'create index deals_latest_in_stage on deals (organization_id, stage_id, stage_entered_at desc, id desc)',
    );
  }
}
