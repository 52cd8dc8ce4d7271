import pg from 'pg';

const names = new Map<string, string>();

/** From here on `text` is a prepared statement of each connection that runs it: planned once, not each time. */
export function prepare(text: string, name: string): void {
  const known = names.get(text);
  if (known === undefined) names.set(text, name);
}

/**
 * The ORM's connections: its query builder hands on texts without their names, which are put back here.
 * Only what has a name is prepared, for statements put together from filters are as many as the filters.
 */
export class PreparingClient extends pg.Client {
  // The overloads of `query` are the driver's: whatever else it is given goes through as it came.
  override query = ((text: unknown, ...rest: unknown[]): unknown => {
    const [values, ...others] = rest;
    const name = typeof text === 'string' && Array.isArray(values) ? names.get(text) : undefined;
    const query = super.query.bind(this) as (...given: unknown[]) => unknown;
    return name ? query({ name, text, values }, ...others) : query(text, ...rest);
  }) as pg.Client['query'];
}
