import { Migration } from '@mikro-orm/migrations';

/** Reminders that are due together: who looks when, and sums of a run that add up. */
export class Migration20261121_0032_rush extends Migration {
  override up(): void {
    this.addSql(reminders);
    this.addSql(runs);
  }
}

// Migrations run as the owner, who is bound to no workspace and sees no row of a forced table.
const reminders = `
alter table reminders
  -- When its workflow looks next, which is behind the lane: past it, the workflow is lost. Null when all is done.
  add column looks_at timestamptz;
alter table reminders no force row level security;
update reminders set looks_at = wakes_at where wakes_at is not null;
alter table reminders force row level security;
create index reminders_look on reminders (looks_at, id) where looks_at is not null;
grant select (looks_at) on reminders to wms_system;
`;

const runs = `
alter table reminder_runs
  add column unconfirmed int not null default 0,
  add column skipped int not null default 0,
  add column cancelled int not null default 0;
alter table reminder_runs no force row level security;
alter table reminder_recipients no force row level security;
update reminder_runs u set unconfirmed = r.unconfirmed, skipped = r.skipped, cancelled = r.cancelled
from (
  select organization_id, reminder_id, scheduled_for,
    count(*) filter (where status = 'unconfirmed') as unconfirmed,
    count(*) filter (where status = 'skipped') as skipped,
    count(*) filter (where status = 'cancelled') as cancelled
  from reminder_recipients where status in ('unconfirmed', 'skipped', 'cancelled') group by 1, 2, 3) r
where u.organization_id = r.organization_id and u.reminder_id = r.reminder_id and u.scheduled_for = r.scheduled_for;
alter table reminder_recipients force row level security;
alter table reminder_runs force row level security;
`;
