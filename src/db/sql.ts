/**
 * Plain SQL with `$1` parameters, on whatever connection or transaction the caller is in. Hot paths and lists use it;
 * single records go through entities.
 */
export interface Sql {
  /** `name` makes it a prepared statement of the connection; name statements that run often. */
  rows<R>(text: string, params?: readonly unknown[], name?: string): Promise<R[]>;
  /** Only inside a transaction, which goes on even if `work` fails there: that undoes what `work` did, and no more. */
  readonly savepoint?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** `sql` inside a transaction, where a part of the work can be undone by itself. */
export const withSavepoints = (sql: Sql): Sql => ({
  ...sql,
  savepoint: async (work) => {
    await sql.rows('savepoint attempt');
    try {
      const result = await work();
      await sql.rows('release attempt');
      return result;
    } catch (error) {
      // Without a connection there is nothing left to undo.
      await sql.rows('rollback to attempt').catch(() => {});
      throw error;
    }
  },
});

/** Adds a value to a statement's parameters and returns its placeholder: `$7`. */
export type Bind = (value: unknown) => string;

/** Parameters of a statement put together in pieces; the given ones are `$1`, `$2` … */
export function binding(...params: unknown[]): { params: unknown[]; bind: Bind } {
  return { params, bind: (value) => `$${params.push(value)}` };
}

/** A condition for a filter that is given, none for one that is not. */
export const equalBy =
  (bind: Bind) =>
  (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${column} = ${bind(value)}`];

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

/** Words of our own as SQL has them behind `in`. */
export const wordsIn = (words: readonly string[]): string =>
  `(${words.map((word) => `'${word}'`).join(', ')})`;

/**
 * A condition for statements about a few rows, each of which is asked by itself. A plain `exists` may become a join, and
 * where every workspace passes for all of its table (migration 0063) that is one with everything the workspace has.
 */
export const oneByOne = (condition: string): string => `((${condition}) is true)`;
