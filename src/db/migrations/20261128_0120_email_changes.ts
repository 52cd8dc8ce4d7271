import { Migration } from '@mikro-orm/migrations';

/** Links by which people prove that they read the mail of the address they want to sign in with from now on. */
export class Migration20261128_0120_email_changes extends Migration {
  override up(): void {
    this.addSql(`
create table email_changes (
  -- SHA-256 of what the link holds.
  token_hash bytea primary key,
  user_id text not null references people (id) on delete cascade,
  email text not null check (email = lower(email)),
  expires_at timestamptz not null
);
create index email_changes_of_person on email_changes (user_id);
grant select, insert, delete on email_changes to wms_system;
`);
  }
}
