import { Migration } from '@mikro-orm/migrations';

/** Numbers, contacts, conversations, messages, campaigns, and what WhatsApp posts to us. */
export class Migration20261121_0002_messaging extends Migration {
  override up(): void {
    this.addSql(numbers);
    this.addSql(contacts);
    this.addSql(conversations);
    this.addSql(campaigns);
    this.addSql(inbound);
  }
}

const numbers = `
create table numbers (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  phone text,
  provider text not null check (provider in ('cloud_api', 'paired', 'sandbox')),
  status text not null check (status in ('provisioning', 'awaiting_pairing', 'connected', 'degraded', 'disconnected', 'suspended', 'error')),
  status_reason text,
  status_changed_at timestamptz not null,
  phone_number_id text unique,
  business_account_id text,
  access_token text,
  window_24h boolean not null,
  ceiling_per_minute int,
  default_team_id text,
  stage_id text,
  hours jsonb,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('numbers');
call wms.open_to_system('numbers', 'select (organization_id, id, phone_number_id)');

create table number_teams (
  organization_id text not null,
  number_id text not null,
  team_id text not null,
  primary key (organization_id, number_id, team_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade,
  foreign key (organization_id, team_id) references teams (organization_id, id) on delete cascade
);
call wms.own_by_workspace('number_teams');

-- GCRA: the theoretical arrival time of the next message, one row a number and lane. The lane 'number'
-- also says until when WhatsApp wants nothing, how often in a row it said so, and until when it is slowed.
create table pacers (
  organization_id text not null,
  number_id text not null,
  lane text not null,
  next_at timestamptz not null,
  slowed_until timestamptz,
  held_until timestamptz,
  refusals int not null default 0,
  primary key (organization_id, number_id, lane),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
) with (fillfactor = 50);
call wms.own_by_workspace('pacers');
`;

const contacts = `
create table contacts (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null default '',
  phone text,
  phone_key text,
  email text,
  email_key text generated always as (lower(email)) stored,
  opted_out boolean not null default false,
  opted_out_at timestamptz,
  opt_out_source text,
  blocked boolean not null default false,
  owner_id text,
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  birth_date date,
  birth_year_known boolean not null default true,
  language text,
  time_zone text,
  notes text not null default '',
  origin text not null check (origin in ('direct', 'form', 'import', 'campaign', 'team')),
  created_via text not null check (created_via in ('message', 'form', 'import', 'api', 'campaign', 'member', 'automation')),
  whatsapp_status text not null default 'unknown' check (whatsapp_status in ('unknown', 'valid', 'invalid')),
  last_inbound_at timestamptz,
  last_outbound_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, owner_id) references members (organization_id, id)
) with (fillfactor = 90);
create unique index contacts_phone on contacts (organization_id, phone_key) where phone_key is not null;
-- A column, not an expression: under row level security only leakproof conditions reach an index, and lower() is none.
create index contacts_email on contacts (organization_id, email_key) where email_key is not null;
create index contacts_updated on contacts (organization_id, updated_at);
call wms.own_by_workspace('contacts');

create table contact_identities (
  organization_id text not null,
  contact_id text not null,
  type text not null check (type in ('phone', 'wa_user', 'wa_lid', 'username')),
  value text not null,
  number_id text,
  is_primary boolean not null default false,
  created_at timestamptz not null,
  primary key (organization_id, type, value),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
create index contact_identities_contact on contact_identities (organization_id, contact_id);
call wms.own_by_workspace('contact_identities');
`;

const conversations = `
create table conversations (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  number_id text not null,
  contact_id text,
  group_id text,
  status text not null default 'open' check (status in ('open', 'closed')),
  assigned_member_id text,
  assigned_team_id text,
  unread int not null default 0,
  handled_by text not null default 'none' check (handled_by in ('none', 'automation', 'ai', 'member')),
  opened_at timestamptz not null,
  closed_at timestamptz,
  last_message_at timestamptz,
  window_expires_at timestamptz,
  snoozed_until timestamptz,
  waiting_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, number_id) references numbers (organization_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id),
  foreign key (organization_id, assigned_member_id) references members (organization_id, id),
  foreign key (organization_id, assigned_team_id) references teams (organization_id, id)
) with (fillfactor = 80);
create unique index conversations_contact on conversations (organization_id, number_id, contact_id);
create unique index conversations_group on conversations (organization_id, number_id, group_id) where group_id is not null;
create index conversations_of_contact on conversations (organization_id, contact_id);
create index conversations_latest on conversations (organization_id, coalesce(last_message_at, created_at) desc, id desc);
call wms.own_by_workspace('conversations');

create table messages (
  organization_id text not null,
  id text not null,
  conversation_id text not null,
  number_id text not null,
  contact_id text,
  direction text not null check (direction in ('inbound', 'outbound')),
  type text not null,
  text text not null default '',
  status text not null check (status in ('received', 'queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed', 'cancelled')),
  source text not null check (source in ('contact', 'member', 'automation', 'campaign', 'reminder', 'api', 'system', 'phone')),
  media_name text not null default '',
  media_type text not null default '',
  media_id text,
  reply_to_id text,
  client_ref text,
  author jsonb,
  campaign_id text,
  automation_id text,
  run_id text,
  reminder_id text,
  provider_id text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  error jsonb,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, conversation_id) references conversations (organization_id, id)
) with (fillfactor = 80);
create index messages_of_conversation on messages (organization_id, conversation_id, id desc);
create unique index messages_provider_id on messages (organization_id, number_id, provider_id) where provider_id is not null;
call wms.own_by_workspace('messages');
`;

const campaigns = `
create table campaigns (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'scheduled', 'sending', 'paused', 'done', 'cancelled')),
  number_id text,
  target text not null check (target in ('segment', 'contacts', 'groups', 'pipeline')),
  segment_id text,
  contact_ids text[] not null default '{}',
  group_ids text[] not null default '{}',
  text text not null,
  send_at timestamptz,
  pace int,
  pause_reason text,
  waiting_until timestamptz,
  retry_of text,
  created_by jsonb not null,
  total int not null default 0,
  excluded jsonb not null default '{}',
  frozen_at timestamptz,
  started_at timestamptz,
  running_since timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, number_id) references numbers (organization_id, id)
) with (fillfactor = 80);
create index campaigns_open on campaigns (status) where status in ('scheduled', 'sending');
create index campaigns_of_number on campaigns (organization_id, number_id) where status = 'sending';
call wms.own_by_workspace('campaigns');
call wms.open_to_system('campaigns', 'select (organization_id, id, status, send_at, started_at)');

create table campaign_recipients (
  organization_id text not null,
  campaign_id text not null,
  id text not null,
  identity_key text not null,
  contact_id text,
  group_id text,
  phone text not null,
  text text not null,
  status text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped', 'unconfirmed', 'cancelled')),
  reason text,
  message_id text,
  attempts int not null default 0,
  attempt_token text,
  not_before timestamptz,
  claimed_at timestamptz,
  settled_at timestamptz,
  replied_at timestamptz,
  primary key (organization_id, campaign_id, id),
  unique (organization_id, campaign_id, identity_key),
  foreign key (organization_id, campaign_id) references campaigns (organization_id, id) on delete cascade
) with (fillfactor = 70);
create index campaign_recipients_pending on campaign_recipients (organization_id, campaign_id, id) where status = 'pending';
create index campaign_recipients_sending on campaign_recipients (organization_id, campaign_id, claimed_at) where status = 'sending';
create index campaign_recipients_message on campaign_recipients (organization_id, message_id) where message_id is not null;
create index campaign_recipients_contact on campaign_recipients (organization_id, contact_id) where status in ('pending', 'sent', 'delivered', 'read');
call wms.own_by_workspace('campaign_recipients');
call wms.expect_one_value('campaign_recipients', 'campaign_id');
`;

const inbound = `
-- What WhatsApp posted, as it came, before anyone knows whose it is. Rows are short-lived.
create table inbound_webhooks (
  sha256 bytea primary key,
  seq bigint generated always as identity,
  body text not null,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  tries int not null default 0,
  not_before timestamptz not null default now(),
  error text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index inbound_webhooks_due on inbound_webhooks (seq) where processed_at is null;
create index inbound_webhooks_age on inbound_webhooks (received_at);
grant select, insert, update, delete on inbound_webhooks to wms_system;
`;
