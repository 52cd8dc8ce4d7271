import { Migration } from '@mikro-orm/migrations';

/**
 * Which trace a row's work belongs to, a W3C `traceparent`; null while tracing is off. A transaction sets it once
 * (`app.trace`), and whatever it puts into a queue carries it. Processes of the version before do not know of it.
 */
export class Migration20261122_0053_traces extends Migration {
  override up(): void {
    for (const queue of ['facts', 'outgoing_messages', 'automation_triggers', 'automation_runs']) {
      // Two statements: a default in the first would be written into the rows that are there.
      this.addSql(`alter table ${queue} add column trace text`);
      this.addSql(
        `alter table ${queue} alter column trace set default nullif(current_setting('app.trace', true), '')`,
      );
    }
    this.addSql('grant select (trace) on automation_triggers, automation_runs to wms_system');
    this.addSql('alter table events add column trace text');
    this.addSql('alter table inbound_webhooks add column trace text');
  }
}
