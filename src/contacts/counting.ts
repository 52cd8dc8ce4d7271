import { first, type Sql } from '../db/sql.ts';

/** From how many rows on their sum replaces them. */
const FOLDED_FROM = 100;

const COUNT = `
with counts as (select count(*) as rows, coalesce(sum(added), 0)::int as used from contact_counts where organization_id = $1),
folded as (delete from contact_counts where organization_id = $1 and (select rows from counts) >= ${FOLDED_FROM}),
kept as (insert into contact_counts (organization_id, added)
  select $1, used from counts where rows >= ${FOLDED_FROM})
select used from counts`;

/**
 * How many contacts the workspace has, whatever the caller may see. The caller holds the lock of the workspace's row:
 * two at once would both fold what they read.
 */
export async function countContacts(tx: {
  readonly sql: Sql;
  readonly organizationId: string;
}): Promise<number> {
  const row = await first<{ used: number }>(tx.sql, COUNT, [tx.organizationId], 'contacts-count');
  return row?.used ?? 0;
}
