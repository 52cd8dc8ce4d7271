import { Migration } from '@mikro-orm/migrations';

/**
 * A person across workspaces, and how they come in. These tables belong to no workspace: the app role cannot
 * touch them, and the system role alone works on them.
 */
export class Migration20261121_0045_signing_in extends Migration {
  override up(): void {
    this.addSql(people);
    this.addSql(members);
    this.addSql(comingIn);
    this.addSql(invitations);
  }
}

const people = `
create table people (
  id text primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  -- Argon2id, as a PHC string; null until the person chose a password.
  password_hash text,
  created_at timestamptz not null
);
grant select, insert, update on people to wms_system;

-- The person of an e-mail address, made when there is none. Who has a password keeps it. The app gets the id
-- alone, so that nothing it runs can read the people of other workspaces.
create function wms.person_of(new_id text, address text, called text, hash text, at timestamptz) returns text
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into people as p (id, email, name, password_hash, created_at) values (new_id, lower(address), called, hash, at)
  on conflict (email) do update set password_hash = coalesce(p.password_hash, excluded.password_hash)
  returning id
$$;
grant create on schema wms to wms_system;
alter function wms.person_of owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.person_of from public;
grant execute on function wms.person_of to wms_app, wms_system;
`;

const members = `
alter table members
  add column user_id text references people (id),
  -- When the person came in for the first time; null while they are invited.
  add column joined_at timestamptz;

alter table members no force row level security;
insert into people (id, email, name, password_hash, created_at)
select distinct on (lower(email)) 'usr_' || substr(id, 5), lower(email), name, password_hash, created_at
from members order by lower(email), password_hash is null, created_at, id;
update members m set user_id = p.id, joined_at = case when m.status = 'active' or m.password_hash is not null then m.created_at end
from people p where p.email = lower(m.email);
alter table members force row level security;

alter table members alter column user_id set not null, drop column password_hash;
create index members_of_person on members (user_id);
grant select (user_id) on members to wms_system;
`;

const comingIn = `
create table person_sessions (
  id text primary key,
  -- SHA-256 of what the cookie holds.
  token_hash bytea not null unique,
  user_id text not null references people (id) on delete cascade,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ip text,
  user_agent text
);
create index person_sessions_of_person on person_sessions (user_id);
create index person_sessions_end on person_sessions (expires_at);
grant select, insert, update, delete on person_sessions to wms_system;

create table password_resets (
  token_hash bytea primary key,
  user_id text not null references people (id) on delete cascade,
  expires_at timestamptz not null
);
create index password_resets_of_person on password_resets (user_id);
grant select, insert, delete on password_resets to wms_system;

create table passkeys (
  -- The credential's id, as base64url.
  id text primary key,
  user_id text not null references people (id) on delete cascade,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of_person on passkeys (user_id);
grant select, insert, update, delete on passkeys to wms_system;

-- Each is answered once, and soon.
create table passkey_challenges (
  challenge text primary key,
  -- Who adds a passkey; null while somebody signs in.
  user_id text references people (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_of_person on passkey_challenges (user_id);
create index passkey_challenges_end on passkey_challenges (expires_at);
grant select, insert, delete on passkey_challenges to wms_system;

-- Counters of what was tried, by account and by address, each hashed. Unlogged: a crash forgives them.
create unlogged table sign_in_attempts (
  key varchar(255) primary key,
  points int not null default 0,
  expire bigint
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
create index sign_in_attempts_end on sign_in_attempts (expire);
grant select, insert, update, delete on sign_in_attempts to wms_system;
`;

const invitations = `
-- One that can be used for each member: asking again makes the link before it useless.
create table invitations (
  organization_id text not null,
  member_id text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id) on delete cascade
);
call wms.own_by_workspace('invitations');
call wms.open_to_system('invitations', 'select');
`;
