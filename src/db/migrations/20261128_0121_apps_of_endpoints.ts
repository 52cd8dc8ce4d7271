import { Migration } from '@mikro-orm/migrations';

/** Whoever removes an app asks in every workspace whether it left an endpoint behind. */
export class Migration20261128_0121_apps_of_endpoints extends Migration {
  override up(): void {
    this.addSql(
      'create index webhook_endpoints_of_apps on webhook_endpoints (app_id) where app_id is not null',
    );
  }
}
