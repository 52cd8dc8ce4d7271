import { Migration } from '@mikro-orm/migrations';

/** Waits of runs that end in the lane, without a workflow; and when a run's workflow looks by itself. */
export class Migration20261121_0031_short_waits extends Migration {
  override up(): void {
    this.addSql(`
alter table automation_runs
  -- A wait that is over soon: the lane goes on with the run then.
  add column lane_at timestamptz,
  -- The run's workflow looks then at the latest; null where nobody knows of one.
  add column workflow_at timestamptz;
create index automation_runs_soon on automation_runs (lane_at) where lane_at is not null;
grant select (lane_at) on automation_runs to wms_system;
`);
  }
}
