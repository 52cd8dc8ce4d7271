import { first, type Sql } from '../../db/sql.ts';

/** Rows per step: few enough for a short transaction. */
const AT_ONCE = 5_000;

const FORGET = `
with past as (
  select organization_id, id from contact_imports
  where finished_at < now() - interval '30 days' and not rows_gone
  order by finished_at limit 1 for update skip locked
), batch as (
  select r.organization_id, r.import_id, r.line from past p
  join contact_import_rows r on r.organization_id = p.organization_id and r.import_id = p.id
  order by r.line limit ${AT_ONCE}
), gone as (
  delete from contact_import_rows r using batch b
  where r.organization_id = b.organization_id and r.import_id = b.import_id and r.line = b.line returning 1
), ended as (
  update contact_imports i set rows_gone = true from past p
  where i.organization_id = p.organization_id and i.id = p.id and (select count(*) from gone) < ${AT_ONCE}
)
select 1 from past`;

/**
 * Deletes what became of the rows of an import, 30 days after its end: who they became, and what was wrong with them.
 * The import and its counts stay.
 *
 * @returns whether there may be more
 */
export const forgetOldRows = async (system: Sql): Promise<boolean> =>
  (await first(system, FORGET, [])) !== null;
