import { Migration } from '@mikro-orm/migrations';

/** What else runs by the clock: idle closing, return timers, history, expiry warnings, and the health of numbers. */
export class Migration20261121_0028_clock extends Migration {
  override up(): void {
    this.addSql(conversations);
    this.addSql(history);
    this.addSql(keys);
    this.addSql(numbers);
  }
}

const conversations = `
alter table workspaces
  -- Hours without a message after which a conversation is closed; null never closes one (design decisions §13).
  add column idle_close_hours int check (idle_close_hours between 1 and 720),
  -- A shorter history begins to count some time after the plan became a smaller one.
  add column plan_changed_at timestamptz;
create index conversations_idle on conversations (organization_id, greatest(last_message_at, opened_at), id) where status = 'open';

alter table teams
  -- Minutes without an answer after which a conversation goes to somebody else; null leaves it where it is.
  add column return_after_minutes int check (return_after_minutes between 1 and 1440);
call wms.open_to_system('teams', 'select (organization_id, id, auto_assign, return_after_minutes)');
create index conversations_unanswered on conversations (organization_id, assigned_team_id, waiting_since, id)
  where status = 'open' and waiting_since is not null;
`;

const history = `
-- Which messages still show a file.
create index messages_media on messages (organization_id, media_id) where media_id is not null;
`;

const keys = `
alter table api_keys
  -- So many days before its end was the key's last warning.
  add column expiry_warned int;
`;

const numbers = `
grant select (status, business_account_id) on numbers to wms_system;

-- What is known of a number's health beside its state. Heartbeats come often, so they have a row of their own.
create table number_health (
  organization_id text not null,
  number_id text not null,
  -- As WhatsApp rates it.
  quality text not null default 'unknown' check (quality in ('green', 'yellow', 'red', 'unknown')),
  -- When something was last wrong with it.
  unhealthy_at timestamptz,
  -- Of a paired number: when its device was last heard of, and since when its connection is closed.
  heartbeat_at timestamptz,
  closed_at timestamptz,
  primary key (organization_id, number_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
) with (fillfactor = 70);
call wms.own_by_workspace('number_health');

alter table pacers
  -- Since when WhatsApp has been asking for fewer messages without a minute's rest.
  add column slowed_since timestamptz;
`;
