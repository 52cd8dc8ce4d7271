import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/** Only the audit log names the app, in one of the entries that were made just after the message. */
const APP = `
  select a.actor->>'app_id' from audit_entries a
  where a.organization_id = o.organization_id and a.id > 'aud_' || substr(o.message_id, 5)
    and a.action = 'message.queued' and a.target->>'id' = o.message_id
  order by a.organization_id, a.id limit 1`;

/** Whether an app wrote a message for a person, who alone may write to contacts who opted out. */
export class Migration20261127_0087_messages_by_apps extends Migration {
  override up(): void {
    this.addSql('alter table outgoing_messages add column by_app boolean not null default false');
    this.addSql(
      inEachWorkspace(`
update outgoing_messages o set by_app = true from messages m
where m.organization_id = o.organization_id and m.id = o.message_id and m.source = 'member' and (${APP}) is not null`),
    );
  }
}
