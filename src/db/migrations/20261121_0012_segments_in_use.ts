import { Migration } from '@mikro-orm/migrations';

/** What is over lets go of its segment, so that the segment can be deleted. */
export class Migration20261121_0012_segments_in_use extends Migration {
  override up(): void {
    this.addSql(letGo);
  }
}

const letGo = `
alter table campaigns
  drop constraint campaigns_segment,
  add constraint campaigns_segment foreign key (organization_id, segment_id)
    references segments (organization_id, id) on delete set null (segment_id);
alter table reminders
  drop constraint reminders_organization_id_segment_id_fkey,
  add constraint reminders_segment foreign key (organization_id, segment_id)
    references segments (organization_id, id) on delete set null (segment_id);
`;
