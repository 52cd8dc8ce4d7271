import { Migration } from '@mikro-orm/migrations';

/** Whoever writes waits for an answer, and goes before those whom a schedule or an import concerns. */
export class Migration20261127_0095_messages_first extends Migration {
  override up(): void {
    // Computed by the database, since processes of the version before write rows as well.
    this.addSql(`alter table automation_triggers
      add column is_message boolean generated always as (trigger ->> 'type' = 'message_received') stored`);
    this.addSql(
      'create index automation_triggers_messages on automation_triggers (organization_id, id) where is_message',
    );
    this.addSql('grant select (is_message) on automation_triggers to wms_system');
  }
}
