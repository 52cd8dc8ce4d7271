import { Migration } from '@mikro-orm/migrations';

/** What keeps campaigns from being too much: quiet hours, how often one person is asked, how many in a day. */
export class Migration20261121_0027_guards extends Migration {
  override up(): void {
    this.addSql(settings);
    this.addSql(days);
  }
}

const settings = `
-- A workspace without a row has neither.
create table campaign_settings (
  organization_id text primary key references workspaces (organization_id),
  -- Local times of the workspace, HH:MM; to before from is the next morning.
  quiet_from text,
  quiet_to text,
  -- At most so many campaigns reach one person in so many days.
  cap_messages int check (cap_messages > 0),
  cap_days int check (cap_days > 0),
  check ((quiet_from is null) = (quiet_to is null) and quiet_from <> quiet_to),
  check ((cap_messages is null) = (cap_days is null))
);
call wms.own_by_workspace('campaign_settings');

-- Why it waits until then: quiet_hours or warm_up.
alter table campaigns add column waiting_for text;
`;

const days = `
-- What campaigns may begin to send on a number in a day of the workspace. A number without a row has no limit.
create table campaign_limits (
  organization_id text not null,
  number_id text not null,
  daily_limit int not null check (daily_limit > 0),
  primary key (organization_id, number_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
);
call wms.own_by_workspace('campaign_limits');

-- What campaigns began to send on a number that has a limit, day by day.
create table campaign_days (
  organization_id text not null,
  number_id text not null,
  day date not null,
  begun int not null,
  primary key (organization_id, number_id, day),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
) with (fillfactor = 50);
call wms.own_by_workspace('campaign_days');

-- Whom a paired number wrote to first, without having heard from them: the warm-up counts these.
create table first_contacts (
  organization_id text not null,
  number_id text not null,
  contact_id text not null,
  day date not null,
  primary key (organization_id, number_id, contact_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
create index first_contacts_of_day on first_contacts (organization_id, number_id, day);
create index first_contacts_of_contact on first_contacts (organization_id, contact_id);
call wms.own_by_workspace('first_contacts');
`;
