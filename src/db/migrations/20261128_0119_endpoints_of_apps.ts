import { Migration } from '@mikro-orm/migrations';

/**
 * An endpoint knows the app through which it was made, and is paused when that app is disconnected. Without a foreign
 * key: it outlives the app. The name is kept beside the id, for a workspace reads no name of an app that it has not connected.
 */
export class Migration20261128_0119_endpoints_of_apps extends Migration {
  override up(): void {
    this.addSql('alter table webhook_endpoints add column app_id text, add column app_name text;');
  }
}
