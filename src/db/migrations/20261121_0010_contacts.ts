import { Migration } from '@mikro-orm/migrations';

/** Contacts that are found among a million, people who want no messages, and imports that run by themselves. */
export class Migration20261121_0010_contacts extends Migration {
  override up(): void {
    this.addSql(filters);
    this.addSql(search);
    this.addSql(finding);
    this.addSql(optOuts);
    this.addSql(backfill);
    this.addSql(imports);
    this.addSql(leaving);
  }
}

/** Each ends with the id: whoever filters by one value reads the newest first and stops after a page. */
const filters = `
drop index contacts_email;
create index contacts_email on contacts (organization_id, email_key, id desc) where email_key is not null;
-- A send and its receipt each touch the contact: with room on the page neither costs an entry in every index.
alter table contacts set (fillfactor = 70);
create index contacts_opted_out on contacts (organization_id, opted_out, id desc);
create index contacts_origin on contacts (organization_id, origin, id desc);
`;

const search = `
-- What a person may be searched by, lower case and without accents, a line for each field. A table of its own:
-- contacts change with each message, and would take the large index along.
create table contact_search (
  organization_id text not null,
  contact_id text not null,
  doc text not null,
  primary key (organization_id, contact_id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
);
call wms.own_by_workspace('contact_search');

create function wms.plain(written text) returns text language sql immutable strict parallel safe as
  $$ select lower(regexp_replace(normalize(written, NFKD), '[\\u0300-\\u036f]', '', 'g')) $$;

create function wms.contact_doc(name text, email text, phone text) returns text language sql immutable parallel safe as
  $$ select wms.plain(chr(10) || coalesce(name, '') || chr(10) || coalesce(email, '') || chr(10) || coalesce(phone, '')) $$;

-- Three characters in a row, and how words begin, each hashed together with the workspace: every workspace has
-- entries of its own, and a hash that two share costs a comparison.
create function wms.search_grams(organization text, doc text) returns int[] language sql immutable strict parallel safe as $$
  select array_agg(distinct hashtext(organization || gram)) from (
    select substr(doc, i, 3) as gram from generate_series(1, char_length(doc) - 2) i
    union all
    select '^' || left(word, n) from regexp_split_to_table(doc, '[ \\n]+') word, generate_series(1, 2) n where word <> ''
  ) grams
$$;
-- Of a needle every third: together they hold all of it, and each more would cost a walk through its entries.
create function wms.needle_grams(organization text, needle text) returns int[] language sql immutable strict parallel safe as $$
  select case when char_length(needle) < 3 then array[hashtext(organization || '^' || needle)] else (
    select array_agg(distinct hashtext(organization || substr(needle, i, 3))) from generate_series(1, char_length(needle) - 2) i
    where i % 3 = 1 or i = char_length(needle) - 2) end
$$;
create function wms.needle_patterns(needle text) returns text[] language sql immutable strict parallel safe as $$
  select case when char_length(needle) < 3 then array['%' || chr(10) || literal || '%', '% ' || literal || '%'] else array['%' || literal || '%'] end
  from regexp_replace(needle, '([\\\\%_])', '\\\\\\1', 'g') literal
$$;
create index contact_search_grams on contact_search using gin (wms.search_grams(organization_id, doc))
  -- What waits to be sorted in is read whole by each search.
  with (gin_pending_list_limit = 512);

create function wms.keep_contact_search() returns trigger language plpgsql as $$
begin
  insert into contact_search values (new.organization_id, new.id, wms.contact_doc(new.name, new.email, new.phone))
  on conflict (organization_id, contact_id) do update set doc = excluded.doc;
  return null;
end $$;
create trigger contacts_keep_search_new after insert on contacts for each row execute function wms.keep_contact_search();
create trigger contacts_keep_search after update of name, email, phone on contacts for each row
  when ((old.name, old.email, old.phone) is distinct from (new.name, new.email, new.phone))
  execute function wms.keep_contact_search();
`;

const finding = `
do $$ begin
  perform pg_advisory_xact_lock(7261001);
  if not exists (select from pg_roles where rolname = 'wms_search') then create role wms_search nologin; end if;
  if not pg_has_role(current_user, 'wms_search', 'set') then execute format('grant wms_search to %I', current_user); end if;
end $$;
grant usage on schema wms, public to wms_search;
grant select on contact_search to wms_search;
create policy search on contact_search for select to wms_search using (true);

-- Ids of the workspace's contacts that a text is part of (one or two characters: that begin a word with it), newest
-- first. Pattern matching is not leakproof, so under row level security no index serves it: this runs as a role that
-- sees this one table, and keeps to the workspace by itself. A text that many have is met among the newest; one that
-- few have is found by its grams, and the conditions after them are written so that no other index tempts the planner.
create function wms.find_contacts(needle text, before text, most int) returns setof text
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  organization constant text := wms.organization();
  patterns constant text[] := wms.needle_patterns(needle);
  walked constant int := 5000;
  upto text := coalesce(before, 'd');
  found int;
begin
  if coalesce(organization, '') = '' then return; end if;
  return query
    select s.contact_id from (
      select n.contact_id, n.doc from contact_search n
      where n.organization_id = organization and n.contact_id < upto
      order by n.contact_id desc limit walked) s
    where s.doc like any (patterns) limit most;
  get diagnostics found = row_count;
  if found >= most then return; end if;
  select n.contact_id into upto from contact_search n
  where n.organization_id = organization and n.contact_id < upto
  order by n.contact_id desc offset walked - 1 limit 1;
  if upto is null then return; end if;
  return query
    select s.contact_id from contact_search s
    where wms.search_grams(s.organization_id, s.doc) @> wms.needle_grams(organization, needle)
      and s.organization_id || '' = organization and s.contact_id || '' < upto and s.doc like any (patterns)
    order by s.contact_id || '' desc limit most - found;
end $$;
revoke all on function wms.find_contacts from public;
grant execute on function wms.find_contacts to wms_app;
grant create on schema wms to wms_search;
alter function wms.find_contacts owner to wms_search;
revoke create on schema wms from wms_search;
`;

const optOuts = `
-- An identity as the list of opt-outs keeps it: it says nothing to whoever reads the table.
create function wms.identity_hash(organization text, type text, value text) returns bytea language sql immutable strict parallel safe as
  $$ select sha256(convert_to(organization || chr(10) || type || chr(10) || value, 'UTF8')) $$;

-- Whole messages by which people leave and come back (design decisions §21): lower case, without accents and punctuation.
create table opt_out_phrases (
  phrase text primary key,
  effect text not null check (effect in ('out', 'in'))
);
insert into opt_out_phrases values
  ('stop', 'out'), ('stopall', 'out'), ('stop all', 'out'), ('unsubscribe', 'out'), ('sair', 'out'), ('parar', 'out'),
  ('pare', 'out'), ('cancelar inscricao', 'out'), ('descadastrar', 'out'), ('remover', 'out'), ('baja', 'out'),
  ('no mais', 'out'), ('nao mais', 'out'), ('no mas', 'out'), ('nao quero mais', 'out'), ('no quiero mas', 'out'),
  ('start', 'in'), ('voltar', 'in'), ('inscrever', 'in');
grant select on opt_out_phrases to wms_app;

-- A workspace's own; an effect of 'none' takes a default away.
create table workspace_opt_out_phrases (
  organization_id text not null references workspaces (organization_id),
  phrase text not null,
  effect text not null check (effect in ('out', 'in', 'none')),
  created_at timestamptz not null,
  primary key (organization_id, phrase)
);
call wms.own_by_workspace('workspace_opt_out_phrases');
`;

/** Migrations run as the owner, who is bound to no workspace and sees no row of a forced table. */
const backfill = `
alter table contacts no force row level security;
alter table contact_identities no force row level security;
alter table contact_search no force row level security;
alter table opt_outs no force row level security;
insert into contact_search select organization_id, id, wms.contact_doc(name, email, phone) from contacts;
insert into opt_outs (organization_id, identity_hash, source, created_at)
  select c.organization_id, wms.identity_hash(c.organization_id, i.type, i.value), coalesce(c.opt_out_source, 'member'), coalesce(c.opted_out_at, now())
  from contacts c cross join lateral (
    select 'phone' as type, c.phone_key as value where c.phone_key is not null
    union all
    select i.type, i.value from contact_identities i
    where i.organization_id = c.organization_id and i.contact_id = c.id and i.type <> 'phone') i
  where c.opted_out on conflict do nothing;
alter table contacts force row level security;
alter table contact_identities force row level security;
alter table contact_search force row level security;
alter table opt_outs force row level security;
`;

const imports = `
create index contact_imports_open on contact_imports (id) where status in ('pending', 'running');
create index contact_import_rows_outcome on contact_import_rows (organization_id, import_id, outcome, line) where outcome is not null;
call wms.open_to_system('contact_imports', 'select (organization_id, id, status, created_at)');
`;

/** A conversation that goes with its contact asks each table that names it: by an index, whatever their size. */
const leaving = `
create index deals_of_conversation on deals (organization_id, conversation_id) where conversation_id is not null;
create index automation_runs_of_conversation on automation_runs (organization_id, conversation_id) where conversation_id is not null;
create index groups_of_conversation on groups (organization_id, conversation_id);
`;
