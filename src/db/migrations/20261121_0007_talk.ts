import { Migration } from '@mikro-orm/migrations';

/** Messages that are sent one by one, media, templates, and forms. */
export class Migration20261121_0007_talk extends Migration {
  override up(): void {
    this.addSql(messages);
    this.addSql(media);
    this.addSql(forms);
  }
}

const messages = `
alter table messages add column template jsonb;

-- The queue of messages that are sent one by one; campaigns keep theirs in their recipients. A row lives until
-- its message is settled. It is a table of its own so that a status never costs the big table an index.
create table outgoing_messages (
  organization_id text not null,
  message_id text not null,
  number_id text not null,
  conversation_id text not null,
  -- Replies of people first, then automations and the API, then reminders.
  priority int not null default 2,
  attempts int not null default 0,
  not_before timestamptz not null default now(),
  claim_token text,
  claimed_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, message_id),
  foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01);
-- Fair across numbers: each one's next messages are found by themselves.
create index outgoing_messages_due on outgoing_messages (number_id, priority, message_id) where claim_token is null;
-- One at a time in each conversation, in the order they were written.
create index outgoing_messages_turn on outgoing_messages (conversation_id, message_id);
create index outgoing_messages_claimed on outgoing_messages (claimed_at) where claim_token is not null;
call wms.own_by_workspace('outgoing_messages');
call wms.open_to_system('outgoing_messages', 'select, update (claim_token, claimed_at, attempts, not_before)');

-- What happened in a conversation beside its messages: transfers, closings, a person taking over.
create table conversation_activities (
  organization_id text not null,
  id text not null,
  conversation_id text not null,
  type text not null,
  data jsonb not null default '{}',
  actor jsonb not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade
);
create index conversation_activities_of on conversation_activities (organization_id, conversation_id, id desc);
call wms.own_by_workspace('conversation_activities');

create table templates (
  organization_id text not null,
  number_id text not null,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  components jsonb not null,
  synced_at timestamptz not null,
  primary key (organization_id, number_id, name, language),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
);
call wms.own_by_workspace('templates');

-- The queue: waiting oldest first, for each team.
create index conversations_waiting on conversations (organization_id, assigned_team_id, waiting_since, id)
  where status = 'open' and assigned_member_id is null and waiting_since is not null;
`;

const media = `
create table media (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  type text not null,
  kind text not null check (kind in ('image', 'video', 'audio', 'document', 'sticker')),
  size int not null,
  sha256 bytea not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('media');

-- A file in pieces of at most 1 MiB, so that no process holds a whole one.
create table media_chunks (
  organization_id text not null,
  media_id text not null,
  seq int not null,
  bytes bytea not null,
  primary key (organization_id, media_id, seq),
  foreign key (organization_id, media_id) references media (organization_id, id) on delete cascade
);
alter table media_chunks alter column bytes set storage external;
call wms.own_by_workspace('media_chunks');
`;

const forms = `
create table forms (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  title text not null,
  description text,
  fields jsonb not null,
  thanks text,
  tag text,
  automation_id text,
  status text not null default 'draft' check (status in ('draft', 'published', 'unpublished')),
  version int not null default 1,
  created_by jsonb not null,
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('forms');
-- The public page knows a form's id and nothing else.
call wms.open_to_system('forms', 'select (organization_id, id, status)');

create table form_submissions (
  organization_id text not null,
  id text not null,
  form_id text not null,
  form_version int not null,
  contact_id text,
  answers jsonb not null,
  outcome text not null check (outcome in ('contact_created', 'contact_updated', 'contact_unchanged', 'contact_conflict')),
  run_id text,
  -- The page's one-time token: a double click is one submission.
  token_hash bytea not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, form_id, token_hash),
  foreign key (organization_id, form_id) references forms (organization_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete set null (contact_id)
);
create index form_submissions_of_form on form_submissions (organization_id, form_id, id desc);
create index form_submissions_of_contact on form_submissions (organization_id, contact_id, form_id);
call wms.own_by_workspace('form_submissions');
`;
