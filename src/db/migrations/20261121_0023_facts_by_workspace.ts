import { Migration } from '@mikro-orm/migrations';

/** Events are taken from the queue in turns of the workspaces, each one's in order. */
export class Migration20261121_0023_facts_by_workspace extends Migration {
  override up(): void {
    this.addSql(`
create index facts_events_of on facts (organization_id, id) where is_event and dead_at is null;
drop index facts_events;
`);
  }
}
