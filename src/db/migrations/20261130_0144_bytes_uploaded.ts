import { Migration } from '@mikro-orm/migrations';

/** How much each workspace uploaded in each hour, in bytes; the hours before the last day are removed by later uploads. */
export class Migration20261130_0144_bytes_uploaded extends Migration {
  override up(): void {
    this.addSql(`
create table uploaded_hours (
  organization_id text not null references workspaces (organization_id),
  hour timestamptz not null,
  bytes bigint not null,
  primary key (organization_id, hour)
);
call wms.own_by_workspace('uploaded_hours');
`);
  }
}
