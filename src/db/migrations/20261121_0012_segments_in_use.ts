import { Migration } from '@mikro-orm/migrations';

/** What is over lets go of its segment; campaigns to segments and pipelines; the chain of a proof. */
export class Migration20261121_0012_segments_in_use extends Migration {
  override up(): void {
    this.addSql(letGo);
    this.addSql(audiences);
    this.addSql(proofs);
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

const audiences = `
alter table campaigns
  -- How many recipients its start took of the plan's month; null for a list, whose length says it.
  add column expected int,
  -- The last contact that was looked at while the audience was being written down.
  add column frozen_through text;
`;

const proofs = `
create function wms.link(chain bytea, beginning text, line text) returns bytea language sql immutable parallel safe as
  $$ select sha256(coalesce(chain, sha256(convert_to(beginning, 'UTF8'))) || convert_to(line, 'UTF8')) $$;
-- The hash after the last of these lines, each over the one before it.
create aggregate wms.chain(beginning text, line text) (sfunc = wms.link, stype = bytea);
grant execute on function wms.link, wms.chain to wms_app;
`;
