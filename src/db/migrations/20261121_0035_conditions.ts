import { Migration } from '@mikro-orm/migrations';

/** Whether something that happens to a contact may be what one of its runs waits for is asked at each happening. */
export class Migration20261121_0035_conditions extends Migration {
  override up(): void {
    this.addSql(`
create index automation_runs_watching on automation_runs (organization_id, contact_id) where waits_for = 'condition';
`);
  }
}
