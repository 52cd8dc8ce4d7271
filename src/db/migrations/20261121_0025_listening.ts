import { Migration } from '@mikro-orm/migrations';

/** What starts runs: which messages were heard, what was dropped, and the clock's own memory. */
export class Migration20261121_0025_listening extends Migration {
  override up(): void {
    this.addSql(heard);
    this.addSql(drops);
    this.addSql(clocks);
  }
}

const heard = `
-- Whether a run has taken a message, as its beginning or as a reply.
create index automation_runs_heard on automation_runs (organization_id, conversation_id, message_id)
  where message_id is not null;
`;

const drops = `
-- Triggers that fired and started no run, by the reason.
create table automation_drops (
  organization_id text not null,
  automation_id text not null,
  reason text not null,
  count bigint not null,
  primary key (organization_id, automation_id, reason),
  foreign key (organization_id, automation_id) references automations (organization_id, id) on delete cascade
);
call wms.own_by_workspace('automation_drops');
`;

const clocks = `
-- How far an automation that starts by the clock has looked.
create table automation_clocks (
  organization_id text not null,
  automation_id text not null,
  -- Of the version it looks for: another trigger begins anew.
  trigger jsonb not null,
  -- All that was due by then was looked at.
  seen_until timestamptz not null,
  -- A look under way: up to when, and behind whom it goes on.
  look_until timestamptz,
  look_after text,
  -- Of a segment: whoever is in it now is known, so that others can be told to have entered.
  remembered boolean not null default false,
  primary key (organization_id, automation_id),
  foreign key (organization_id, automation_id) references automations (organization_id, id) on delete cascade
);
call wms.own_by_workspace('automation_clocks');

-- Who was in the segment at the last look.
create table automation_segment_members (
  organization_id text not null,
  automation_id text not null,
  contact_id text not null,
  primary key (organization_id, automation_id, contact_id),
  foreign key (organization_id, automation_id) references automation_clocks (organization_id, automation_id) on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
create index automation_segment_members_of_contact on automation_segment_members (organization_id, contact_id);
call wms.own_by_workspace('automation_segment_members');

create index automations_by_the_clock on automations (organization_id, id)
  where status = 'active' and trigger_type in ('no_reply', 'date_field', 'schedule', 'segment_entered', 'segment_left');
`;
