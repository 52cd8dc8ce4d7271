import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

/**
 * What deleted people answered is erased from their runs, too. Every run begins with a contact, so one without is the
 * run of somebody who was deleted.
 */
export class Migration20261123_0067_runs_of_deleted_people extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update automation_run_steps s set output = null, error = s.error || '{"message": ""}'
from automation_runs r
where r.contact_id is null and s.organization_id = r.organization_id and s.run_id = r.id;
update automation_runs set error = error || '{"message": ""}' where contact_id is null and error is not null`),
    );
  }
}
