import type { Sql } from './sql.ts';

/** What ended before this is in the past by every machine's clock. */
export const LONG_ENOUGH_AGO = "now() - interval '5 minutes'";

/** Rows of one kind per step: few enough for a short transaction. */
const AT_ONCE = 5_000;

export interface Removed<K extends string> {
  /** How many rows of each kind were deleted. */
  readonly counts: Readonly<Record<K, number>>;
  /** Whether there is more of a kind than one step deletes. */
  readonly more: boolean;
}

/**
 * Deletes expired rows, one step at a time.
 *
 * @param kinds for each its table and which rows are expired, in our own SQL
 */
export async function removePast<K extends string>(
  sql: Sql,
  kinds: Readonly<Record<K, { readonly table: string; readonly past: string }>>,
): Promise<Removed<K>> {
  const counts: [string, number][] = [];
  for (const kind of Object.keys(kinds) as K[]) {
    const { table, past } = kinds[kind];
    const gone = await sql.rows(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${past} limit ${AT_ONCE})) returning 1`,
    );
    counts.push([kind, gone.length]);
  }
  return {
    counts: Object.fromEntries(counts) as Record<K, number>,
    more: counts.some(([, count]) => count === AT_ONCE),
  };
}
