import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Only the audit log names the app, in one of the entries that were made just after the message. */
const APP = `
  select a.actor->>'app_id' from audit_entries a
  where a.organization_id = o.organization_id and a.id > 'aud_' || substr(o.message_id, 5)
    and a.action = 'message.queued' and a.target->>'id' = o.message_id
  order by a.organization_id, a.id limit 1`;

/** Messages that apps wrote before there was `by_app` (migration 0087). Nothing where that is known already. */
export class Migration20261127_0092_by_apps_before extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update outgoing_messages o set by_app = true from messages m
where not o.by_app and m.organization_id = o.organization_id and m.id = o.message_id and m.source = 'member' and (${APP}) is not null`),
    );
  }
}
