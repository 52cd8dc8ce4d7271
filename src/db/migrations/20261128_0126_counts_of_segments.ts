import { Migration } from '@mikro-orm/migrations';

/** Segments are counted anew each day; before, a list showed the count of the day they were made. */
export class Migration20261128_0126_counts_of_segments extends Migration {
  override up(): void {
    this.addSql(`
alter table segments add column count_due_at timestamptz not null default now() + interval '1 day';
create index segments_to_count on segments (count_due_at);
call wms.open_to_system('segments', 'select (organization_id, id, count_due_at)');
`);
  }
}
