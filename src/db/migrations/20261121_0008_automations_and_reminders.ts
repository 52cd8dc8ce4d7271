import { Migration } from '@mikro-orm/migrations';

/** Talk that starts by itself: automations with their versions and runs, and reminders. */
export class Migration20261121_0008_automations_and_reminders extends Migration {
  override up(): void {
    this.addSql(automations);
    this.addSql(reminders);
  }
}

const automations = `
create table automations (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  description text,
  status text not null default 'draft' check (status in ('draft', 'active', 'inactive')),
  -- The last published version; 0 before the first.
  version int not null default 0,
  -- trigger, entry, steps: what the next activation publishes.
  draft jsonb not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index automations_name on automations (organization_id, lower(name));
call wms.own_by_workspace('automations');

create table automation_versions (
  organization_id text not null,
  automation_id text not null,
  version int not null,
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (organization_id, automation_id, version),
  foreign key (organization_id, automation_id) references automations (organization_id, id) on delete cascade
);
call wms.own_by_workspace('automation_versions', 'select, insert');

create table automation_runs (
  organization_id text not null,
  id text not null,
  automation_id text not null,
  version int not null,
  contact_id text,
  conversation_id text,
  trigger jsonb not null,
  status text not null check (status in ('running', 'waiting', 'succeeded', 'failed', 'cancelled', 'handed_over')),
  current_step_id text,
  wait_until timestamptz,
  error jsonb,
  depth int not null default 0,
  cause_run_id text,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, automation_id, version) references automation_versions (organization_id, automation_id, version),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete set null (contact_id),
  foreign key (organization_id, conversation_id) references conversations (organization_id, id)
);
-- One active run for each automation and contact (design decisions §9).
create unique index automation_runs_active on automation_runs (organization_id, automation_id, contact_id) where status in ('running', 'waiting');
create index automation_runs_of on automation_runs (organization_id, automation_id, id desc);
create index automation_runs_of_contact on automation_runs (organization_id, contact_id, automation_id);
create index automation_runs_by_time on automation_runs (organization_id, started_at);
call wms.own_by_workspace('automation_runs');

create table automation_run_steps (
  organization_id text not null,
  run_id text not null,
  seq int not null,
  step_id text not null,
  type text not null,
  status text not null check (status in ('running', 'waiting', 'succeeded', 'failed', 'cancelled')),
  output jsonb,
  error jsonb,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (organization_id, run_id, seq),
  foreign key (organization_id, run_id) references automation_runs (organization_id, id) on delete cascade
);
call wms.own_by_workspace('automation_run_steps');

alter table forms
  add constraint forms_automation foreign key (organization_id, automation_id) references automations (organization_id, id);
`;

const reminders = `
create table reminders (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  title text not null,
  text text not null,
  target text not null check (target in ('contact', 'group', 'segment', 'phone', 'birthday')),
  contact_id text,
  group_id text,
  segment_id text,
  phone text,
  number_id text not null,
  repeat text not null check (repeat in ('once', 'daily', 'weekdays', 'weekly', 'monthly', 'yearly')),
  date date,
  time text not null,
  weekday int check (weekday between 1 and 7),
  month_day int check (month_day between 1 and 31),
  time_zone text not null,
  ends_on date,
  transactional boolean not null default false,
  status text not null default 'active' check (status in ('active', 'done', 'cancelled')),
  cancel_reason text,
  next_run_at timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, number_id) references numbers (organization_id, id),
  foreign key (organization_id, group_id) references groups (organization_id, id),
  foreign key (organization_id, segment_id) references segments (organization_id, id)
);
create index reminders_active on reminders (organization_id, next_run_at) where status = 'active';
create index reminders_of_contact on reminders (organization_id, contact_id) where contact_id is not null;
create index reminders_of_segment on reminders (organization_id, segment_id) where segment_id is not null;
call wms.own_by_workspace('reminders');

create table reminder_runs (
  organization_id text not null,
  id text not null,
  reminder_id text not null,
  scheduled_for timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  status text not null check (status in ('running', 'sent', 'partial', 'failed', 'skipped', 'missed')),
  recipients int not null default 0,
  sent int not null default 0,
  failed int not null default 0,
  reasons jsonb not null default '{}',
  primary key (organization_id, id),
  unique (organization_id, reminder_id, scheduled_for),
  foreign key (organization_id, reminder_id) references reminders (organization_id, id) on delete cascade
);
call wms.own_by_workspace('reminder_runs');

create table reminder_recipients (
  organization_id text not null,
  reminder_id text not null,
  scheduled_for timestamptz not null,
  recipient_key text not null,
  contact_id text,
  message_id text,
  status text not null,
  reason text,
  primary key (organization_id, reminder_id, scheduled_for, recipient_key),
  foreign key (organization_id, reminder_id, scheduled_for) references reminder_runs (organization_id, reminder_id, scheduled_for) on delete cascade
);
call wms.own_by_workspace('reminder_recipients');
`;
