import { Migration } from '@mikro-orm/migrations';

/** What happened and must start an automation: written with the happening itself, run once. Runs by status. */
export class Migration20261121_0015_automation_triggers extends Migration {
  override up(): void {
    this.addSql(triggers);
    this.addSql(runs);
  }
}

const triggers = `
create table automation_triggers (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  automation_id text not null,
  contact_id text,
  conversation_id text,
  -- {type, ref}: the same that the run will show.
  trigger jsonb not null,
  created_at timestamptz not null,
  -- The run it became; null while nobody has looked at it.
  run_id text,
  primary key (organization_id, id),
  foreign key (organization_id, automation_id) references automations (organization_id, id) on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade,
  foreign key (organization_id, conversation_id) references conversations (organization_id, id),
  foreign key (organization_id, run_id) references automation_runs (organization_id, id)
);
create index automation_triggers_waiting on automation_triggers (organization_id, id) where run_id is null;
create index automation_triggers_of_contact on automation_triggers (organization_id, contact_id);
call wms.own_by_workspace('automation_triggers');
`;

const runs = `
-- The few that failed, or still go on, among all that an automation ever had.
create index automation_runs_in_status on automation_runs (organization_id, automation_id, status, id desc);
`;
