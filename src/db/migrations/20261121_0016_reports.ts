import { Migration } from '@mikro-orm/migrations';

/**
 * What the reports read: the figures of each day that is over, in the workspace's zone, by everything that a
 * report can be filtered by. `''` stands for none, so that rows group and compare without nulls.
 */
export class Migration20261121_0016_reports extends Migration {
  override up(): void {
    this.addSql(days);
    this.addSql(figures);
    this.addSql(indexes);
  }
}

const days = `
-- Days whose figures are written down, and when: late status webhooks still change a day for a week.
create table report_days (
  organization_id text not null references workspaces (organization_id),
  day date not null,
  time_zone text not null,
  -- Minutes that members took from one message to their next.
  member_minutes real[] not null default '{}',
  rolled_at timestamptz not null,
  primary key (organization_id, day)
);
call wms.own_by_workspace('report_days');
`;

const dimensions = `
  organization_id text not null,
  day date not null,
  number_id text not null,
  team_id text not null,
  member_id text not null,
  automation_id text not null,
  origin text not null,
  pipeline_ids text[] not null,`;

const figures = `
create table report_message_days (${dimensions}
  campaign_id text not null,
  automated int not null,
  ai int not null,
  team int not null,
  attempted int not null,
  delivered int not null,
  lost int not null,
  no_whatsapp int not null,
  no_recipient int not null,
  throttled int not null,
  out_of_window int not null,
  foreign key (organization_id, day) references report_days (organization_id, day) on delete cascade
);
create index report_message_days_by on report_message_days (organization_id, day);
call wms.own_by_workspace('report_message_days');

-- One row for each conversation and day with a message of an automation or of a person of the team, an end, or a handover.
create table report_conversation_days (
  organization_id text not null,
  day date not null,
  conversation_id text not null,
  number_id text not null,
  team_id text not null,
  member_id text not null,
  origin text not null,
  pipeline_ids text[] not null,
  automation_ids text[] not null,
  campaign_ids text[] not null,
  automated boolean not null,
  by_team boolean not null,
  closed boolean not null,
  -- A run of the day ended by handing over.
  handed_over boolean not null,
  -- Ids of the day's first message of an automation and last of the team, '' for none: a person who writes later took over.
  first_automated text not null,
  last_by_team text not null,
  foreign key (organization_id, day) references report_days (organization_id, day) on delete cascade
);
create index report_conversation_days_by on report_conversation_days (organization_id, day);
call wms.own_by_workspace('report_conversation_days');

-- What people asked automations, and how many seconds the AI took to answer.
create table report_answer_days (${dimensions}
  -- '' for the row that holds the seconds.
  question text not null,
  times int not null,
  -- Rounded, each once, and how often.
  ai_seconds real[] not null,
  ai_times int[] not null,
  foreign key (organization_id, day) references report_days (organization_id, day) on delete cascade
);
create index report_answer_days_by on report_answer_days (organization_id, day);
call wms.own_by_workspace('report_answer_days');
`;

const indexes = `
create index conversations_closed on conversations (organization_id, closed_at) where closed_at is not null;
create index campaign_recipients_skipped on campaign_recipients (organization_id, settled_at) where status = 'skipped';
create index automation_runs_handed_over on automation_runs (organization_id, finished_at) where status = 'handed_over';
`;
