import { Migration } from '@mikro-orm/migrations';

/** Reminders that run: when each is looked at next, what a run does, and who has got it. */
export class Migration20261121_0026_reminders_run extends Migration {
  override up(): void {
    this.addSql(reminders);
    this.addSql(runs);
    this.addSql(recipients);
    this.addSql(messages);
  }
}

const reminders = `
alter table reminders
  -- The local day that comes next; its moment is read from the rule anew whenever it is looked at.
  add column due_day date,
  -- When somebody must look next: a day that is due, a number that may be back, messages under way. Null when all is done.
  add column wakes_at timestamptz;
-- Migrations run as the owner, who is bound to no workspace and sees no row of a forced table.
alter table reminders no force row level security;
update reminders set wakes_at = coalesce(next_run_at, now()), due_day = (next_run_at at time zone time_zone)::date
where status = 'active' and target <> 'birthday';
-- Looked at every day, from now on.
update reminders set wakes_at = now() where status = 'active' and target = 'birthday';
alter table reminders force row level security;
create index reminders_wake on reminders (wakes_at, id) where wakes_at is not null;
call wms.open_to_system('reminders', 'select (organization_id, id, wakes_at)');
`;

const runs = `
alter table reminder_runs
  -- The day in the reminder's zone.
  add column day date,
  -- What the reminder said when the run began; null when it is over.
  add column content jsonb,
  -- Everybody is written down, or how far that came.
  add column frozen_at timestamptz,
  add column frozen_through text,
  -- When messages were queued last.
  add column queued_at timestamptz;
create index reminder_runs_open on reminder_runs (organization_id, reminder_id) where status = 'running';
`;

const recipients = `
alter table reminder_recipients
  -- Of a birthday: the year of the local day.
  add column local_year int,
  add constraint reminder_recipients_status
    check (status in ('pending', 'queued', 'sent', 'failed', 'unconfirmed', 'skipped', 'cancelled'));
-- A birthday once in a local year, whatever becomes of the reminder's time and zone (design decisions §10).
create unique index reminder_recipients_birthday on reminder_recipients (organization_id, reminder_id, recipient_key, local_year)
  where local_year is not null;
create index reminder_recipients_contact on reminder_recipients (organization_id, contact_id) where contact_id is not null;
create index reminder_recipients_open on reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key)
  where status in ('pending', 'queued');
`;

const messages = `
-- A transactional reminder also reaches people who opted out.
alter table outgoing_messages add column despite_opt_out boolean not null default false;
`;
