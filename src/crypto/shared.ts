import { asSystem, type Database } from '../db/database.ts';
import { type SealedColumn, type SealedValue, SHARED_COLUMNS } from './sealed.ts';

type System = Pick<Database, 'system'>;

/**
 * Re-encrypts what belongs to no workspace: a few rows, in one transaction. Values changed meanwhile are left alone.
 *
 * @param again returns the value under the active key; null leaves it as it is
 * @returns how many were replaced
 */
export async function sealSharedAgain(
  database: System,
  keyId: string,
  again: (column: SealedColumn, value: SealedValue) => string | null,
): Promise<number> {
  let sealed = 0;
  for (const place of SHARED_COLUMNS) {
    const { table, column, row } = place;
    sealed += await asSystem(database, async (sql) => {
      const values = await sql.rows<SealedValue>(
        `select ${row} as row, ${column} as blob from ${table} where split_part(${column}, '|', 2) <> $1`,
        [keyId],
      );
      let replaced = 0;
      for (const value of values) {
        const fresh = again(place, value);
        if (fresh === null) continue;
        const written = await sql.rows(
          `update ${table} set ${column} = $3 where ${row} = $1 and ${column} = $2 returning 1`,
          [value.row, value.blob, fresh],
        );
        replaced += written.length;
      }
      return replaced;
    });
  }
  return sealed;
}

/** How many values that belong to no workspace each key has encrypted. */
export async function countShared(
  database: System,
): Promise<{ keyId: string; table: string; column: string; count: number }[]> {
  const counts = SHARED_COLUMNS.map(({ table, column }) =>
    asSystem(database, (sql) =>
      sql.rows<{ keyId: string; table: string; column: string; count: number }>(
        `select split_part(${column}, '|', 2) as "keyId", $1::text as "table", $2::text as "column", count(*)::int as count
         from ${table} group by 1`,
        [table, column],
      ),
    ),
  );
  return (await Promise.all(counts)).flat();
}
