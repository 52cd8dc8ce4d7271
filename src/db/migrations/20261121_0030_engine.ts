import { Migration } from '@mikro-orm/migrations';

/** How runs are stopped, what is no reply, and how what is overdue is found. */
export class Migration20261121_0030_engine extends Migration {
  override up(): void {
    this.addSql(stopping);
    this.addSql(runs);
    this.addSql(queue);
  }
}

const stopping = `
alter table automations
  drop column stop_before,
  -- Runs of this version and of older ones end where they stand; null when none is left to end.
  add column stopped_version int;
create index automations_stopping on automations (organization_id, id) where stopped_version is not null;
grant select (stopped_version) on automations to wms_system;
`;

const runs = `
alter table automation_runs
  -- Written before a wait of another kind was over: no reply to what the run asks later.
  add column replies_after text;
create index automation_runs_due on automation_runs (wait_until) where status = 'waiting';
create index automation_runs_moving on automation_runs (moved_at) where status = 'running' or waits_for = 'condition';
grant select (waits_for) on automation_runs to wms_system;
`;

const queue = `
alter table automation_triggers
  -- One that could not be acted on is looked at again then.
  add column not_before timestamptz not null default '-infinity',
  add column tries int not null default 0;
grant select (not_before) on automation_triggers to wms_system;
`;
