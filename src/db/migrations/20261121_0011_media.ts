import { Migration } from '@mikro-orm/migrations';

/** What sending one by one needs beside its queue: references of clients, files on both sides, templates. */
export class Migration20261121_0011_media extends Migration {
  override up(): void {
    this.addSql(references);
    this.addSql(files);
    this.addSql(templates);
  }
}

const references = `
-- A client's own reference names one message for 30 days. It is no index of messages: few have one.
create table client_refs (
  organization_id text not null,
  client_ref text not null,
  message_id text not null,
  created_at timestamptz not null,
  primary key (organization_id, client_ref),
  foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade
);
create index client_refs_of_message on client_refs (organization_id, message_id);
call wms.own_by_workspace('client_refs');
`;

const files = `
-- A person's file is known before it is here: WhatsApp keeps it, and hands it out to the number it was sent to.
alter table media
  add column state text not null default 'kept' check (state in ('kept', 'coming', 'lost')),
  add column number_id text,
  add column provider_id text,
  -- Where it was sent to us: whoever does not see the conversation does not see the file. Null for our own.
  add column conversation_id text;

-- Files of people that are still to be fetched.
create table media_fetches (
  organization_id text not null,
  media_id text not null,
  tries int not null default 0,
  not_before timestamptz not null default now(),
  primary key (organization_id, media_id),
  foreign key (organization_id, media_id) references media (organization_id, id) on delete cascade
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index media_fetches_due on media_fetches (not_before);
call wms.own_by_workspace('media_fetches');
call wms.open_to_system('media_fetches', 'select, update (tries, not_before)');

-- Files of ours that WhatsApp keeps: one that is sent again is not uploaded again.
create table media_uploads (
  organization_id text not null,
  media_id text not null,
  number_id text not null,
  provider_id text not null,
  valid_until timestamptz not null,
  primary key (organization_id, media_id, number_id),
  foreign key (organization_id, media_id) references media (organization_id, id) on delete cascade
);
call wms.own_by_workspace('media_uploads');
`;

const templates = `
-- When the templates of a number are asked for again.
create table template_syncs (
  organization_id text not null,
  number_id text not null,
  due_at timestamptz not null,
  -- Null until they were read for the first time.
  synced_at timestamptz,
  primary key (organization_id, number_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id) on delete cascade
);
call wms.own_by_workspace('template_syncs');
call wms.open_to_system('template_syncs', 'select');
create index templates_approved on templates (organization_id, name, language, number_id) where status = 'APPROVED';
`;
