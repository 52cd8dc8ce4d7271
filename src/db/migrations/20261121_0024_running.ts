import { Migration } from '@mikro-orm/migrations';

/** Runs that go on by themselves, and the queue of what happened that starts them. */
export class Migration20261121_0024_running extends Migration {
  override up(): void {
    this.addSql(queue);
    this.addSql(runs);
    this.addSql(automations);
  }
}

const queue = `
drop index automation_triggers_waiting;
alter table automation_triggers
  -- Null: for any automation that listens for such a thing.
  alter column automation_id drop not null,
  -- A row leaves in the transaction that acts on it.
  drop column run_id,
  -- What the trigger asks about: {tag}, {field, to}, {stageId, pipelineId}, {messageId, text}, …
  add column data jsonb not null default '{}',
  -- The automations whose runs led to it, the last one last, and that run.
  add column chain text[] not null default '{}',
  add column cause_run_id text;
create index automation_triggers_next on automation_triggers (organization_id, contact_id, id);
call wms.open_to_system('automation_triggers', 'select (organization_id, id, contact_id, created_at)');
`;

const runs = `
alter table automation_runs
  add column chain text[] not null default '{}',
  add column steps_taken int not null default 0,
  -- Since a person last wrote: a loop without anybody in it is stopped.
  add column steps_since_input int not null default 0,
  add column waits_for text check (waits_for in ('time', 'reply', 'condition', 'nothing')),
  add column priority int not null default 0,
  -- The message that started it or that it heard last; later ones are its replies.
  add column message_id text,
  -- A call to somebody else's server is under way until then.
  add column lease_until timestamptz,
  -- There may be a workflow that sleeps for it.
  add column has_workflow boolean not null default false,
  add column moved_at timestamptz not null default now();
-- One waits for a reply in a conversation (design decisions §9).
create unique index automation_runs_waiter on automation_runs (organization_id, conversation_id)
  where waits_for = 'reply' and status = 'waiting';
create index automation_runs_in_conversation on automation_runs (organization_id, conversation_id)
  where status in ('running', 'waiting');
create index automation_runs_open on automation_runs (organization_id, id) where status in ('running', 'waiting');
create index automation_runs_caused on automation_runs (organization_id, cause_run_id) where cause_run_id is not null;
call wms.open_to_system('automation_runs', 'select (organization_id, id, status, wait_until, lease_until, moved_at)');
`;

const automations = `
alter table automations
  -- Of the published version: what it listens for.
  add column trigger_type text,
  -- Runs begun before this moment end where they stand.
  add column stop_before timestamptz;
-- Migrations run as the owner, who is bound to no workspace and sees no row of a forced table.
alter table automations no force row level security;
alter table automation_versions no force row level security;
update automations a set trigger_type = v.definition #>> '{trigger,type}'
from automation_versions v
where v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version;
alter table automations force row level security;
alter table automation_versions force row level security;
create index automations_listening on automations (organization_id, trigger_type) where status = 'active';
call wms.open_to_system('automations', 'select (organization_id, id, status, trigger_type)');
`;
