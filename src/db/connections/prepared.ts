import pg from 'pg';

const names = new Map<string, string>();

/** From now on `text` is a prepared statement on each connection that runs it: planned once instead of each time. */
export function prepare(text: string, name: string): void {
  const known = names.get(text);
  if (known === undefined) names.set(text, name);
}

/**
 * The ORM's connections. Its query builder passes on texts without their names, which are restored here. Only named
 * statements are prepared, because those built from filters are as many as the filters.
 */
export class PreparingClient extends pg.Client {
  // The overloads of `query` are the driver's; any other arguments are passed through unchanged.
  override query = ((text: unknown, ...rest: unknown[]): unknown => {
    const [values, ...others] = rest;
    const name = typeof text === 'string' && Array.isArray(values) ? names.get(text) : undefined;
    const query = super.query.bind(this) as (...given: unknown[]) => unknown;
    return name ? query({ name, text, values }, ...others) : query(text, ...rest);
  }) as pg.Client['query'];
}
