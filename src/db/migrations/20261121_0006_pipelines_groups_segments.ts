import { Migration } from '@mikro-orm/migrations';

/** The nouns around a contact: pipelines and deals, groups, segments, imports, and who wants no messages. */
export class Migration20261121_0006_pipelines_groups_segments extends Migration {
  override up(): void {
    this.addSql(pipelines);
    this.addSql(groups);
    this.addSql(segments);
    this.addSql(contacts);
  }
}

const pipelines = `
create table pipelines (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index pipelines_name on pipelines (organization_id, lower(name));
call wms.own_by_workspace('pipelines');

create table stages (
  organization_id text not null,
  id text not null,
  pipeline_id text not null,
  name text not null,
  kind text not null check (kind in ('open', 'won', 'lost')),
  position int not null check (position >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, pipeline_id, id),
  unique (organization_id, pipeline_id, position) deferrable initially deferred,
  foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade
);
call wms.own_by_workspace('stages');

create table deals (
  organization_id text not null,
  id text not null,
  pipeline_id text not null,
  stage_id text not null,
  contact_id text not null,
  conversation_id text,
  title text not null,
  value_cents bigint check (value_cents >= 0),
  currency text not null default 'BRL',
  owner_id text,
  status text not null default 'open' check (status in ('open', 'won', 'lost')),
  lost_reason text,
  stage_entered_at timestamptz not null,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, pipeline_id) references pipelines (organization_id, id),
  foreign key (organization_id, pipeline_id, stage_id) references stages (organization_id, pipeline_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade,
  foreign key (organization_id, conversation_id) references conversations (organization_id, id),
  foreign key (organization_id, owner_id) references members (organization_id, id)
);
create index deals_of_pipeline on deals (organization_id, pipeline_id, id desc);
create index deals_of_contact on deals (organization_id, contact_id, pipeline_id);
create index deals_of_stage on deals (organization_id, stage_id);
call wms.own_by_workspace('deals');

alter table numbers
  add constraint numbers_stage foreign key (organization_id, stage_id) references stages (organization_id, id);
`;

const groups = `
create table groups (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  description text not null default '',
  members int not null default 0,
  number_id text not null,
  conversation_id text not null,
  -- WhatsApp's id of the group.
  provider_id text not null,
  left_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, number_id, provider_id),
  foreign key (organization_id, number_id) references numbers (organization_id, id),
  foreign key (organization_id, conversation_id) references conversations (organization_id, id)
);
call wms.own_by_workspace('groups');
`;

const segments = `
create table segments (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  name text not null,
  rules jsonb not null,
  status text not null default 'ready' check (status in ('draft', 'ready')),
  count int,
  counted_at timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('segments');

alter table campaigns
  add column pipeline_id text,
  add column stage_ids text[] not null default '{}',
  add constraint campaigns_segment foreign key (organization_id, segment_id) references segments (organization_id, id),
  add constraint campaigns_pipeline foreign key (organization_id, pipeline_id) references pipelines (organization_id, id),
  add constraint campaigns_retry_of foreign key (organization_id, retry_of) references campaigns (organization_id, id) on delete set null (retry_of);
create index campaigns_of_segment on campaigns (organization_id, segment_id) where segment_id is not null;
`;

const contacts = `
-- Under row level security an index on the array would never be used: its operators are not leakproof, equality is.
create table contact_tags (
  organization_id text not null,
  tag_key text not null,
  contact_id text not null,
  primary key (organization_id, tag_key, contact_id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
create index contact_tags_of_contact on contact_tags (organization_id, contact_id);
call wms.own_by_workspace('contact_tags');
create function wms.keep_contact_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.tags = old.tags then return null; end if;
    delete from contact_tags t where t.organization_id = new.organization_id and t.contact_id = new.id;
  end if;
  insert into contact_tags select distinct new.organization_id, lower(tag), new.id from unnest(new.tags) tag;
  return null;
end $$;
create trigger contacts_keep_tags_new after insert on contacts for each row when (new.tags <> '{}') execute function wms.keep_contact_tags();
create trigger contacts_keep_tags after update of tags on contacts for each row execute function wms.keep_contact_tags();
-- Migrations run as the owner, who is bound to no workspace and sees no row of a forced table.
alter table contacts no force row level security;
alter table contact_tags no force row level security;
insert into contact_tags select distinct c.organization_id, lower(tag), c.id from contacts c, unnest(c.tags) tag;
alter table contacts force row level security;
alter table contact_tags force row level security;
create index contacts_owner on contacts (organization_id, owner_id, id desc) where owner_id is not null;
create index contacts_birthday on contacts (organization_id, (extract(month from birth_date) * 100 + extract(day from birth_date))) where birth_date is not null;

-- Who wants no messages, by the SHA-256 of the workspace and the identity: it outlives the contact (design decisions §21).
create table opt_outs (
  organization_id text not null references workspaces (organization_id),
  identity_hash bytea not null,
  source text not null,
  evidence_message_id text,
  created_at timestamptz not null,
  primary key (organization_id, identity_hash)
);
call wms.own_by_workspace('opt_outs');

alter table contacts
  add column opt_out_message_id text,
  add column opt_out_confirmed_at timestamptz,
  -- Consent to marketing, with the exact words that were agreed to.
  add column consent jsonb;

create table contact_imports (
  organization_id text not null references workspaces (organization_id),
  id text not null,
  file_name text not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'done', 'cancelled', 'failed')),
  total int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  unchanged int not null default 0,
  failed int not null default 0,
  created_by jsonb not null,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
call wms.own_by_workspace('contact_imports');

create table contact_import_rows (
  organization_id text not null,
  import_id text not null,
  line int not null,
  fields jsonb not null,
  outcome text check (outcome in ('created', 'updated', 'unchanged', 'failed')),
  contact_id text,
  problems jsonb,
  primary key (organization_id, import_id, line),
  foreign key (organization_id, import_id) references contact_imports (organization_id, id) on delete cascade
);
create index contact_import_rows_open on contact_import_rows (organization_id, import_id, line) where outcome is null;
call wms.own_by_workspace('contact_import_rows');
call wms.expect_one_value('contact_import_rows', 'import_id');
`;
