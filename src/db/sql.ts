/**
 * Plain SQL with `$1` parameters, on whatever connection or transaction the caller is in. Hot paths and lists use it;
 * single records go through entities.
 */
export interface Sql {
  /** `name` makes it a prepared statement of the connection; name statements that run often. */
  rows<R>(text: string, params?: readonly unknown[], name?: string): Promise<R[]>;
}

/** The first row, or null. */
export async function first<R>(
  sql: Sql,
  text: string,
  params?: readonly unknown[],
  name?: string,
): Promise<R | null> {
  const rows = await sql.rows<R>(text, params, name);
  return rows[0] ?? null;
}
