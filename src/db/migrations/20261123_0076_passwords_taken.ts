import { Migration } from '@mikro-orm/migrations';

/** Who has an account keeps their password, and is not let in by another one that somebody gives for them. */
export class Migration20261123_0076_passwords_taken extends Migration {
  override up(): void {
    this.addSql(`
-- Whether the person has this very password: the app's role, which reads no hashes, asks whether the one it gave was taken.
create function wms.has_password(person text, hash text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from people where id = person and password_hash = hash)
$$;
grant create on schema wms to wms_system;
alter function wms.has_password owner to wms_system;
revoke create on schema wms from wms_system;
revoke all on function wms.has_password from public;
grant execute on function wms.has_password to wms_app, wms_system;
`);
  }
}
