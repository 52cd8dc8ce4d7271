import pg from 'pg';

/**
 * Collects the tables' statistics as their owner. They are not vacuumed: what is read of an index alone would count as
 * nothing read.
 */
export async function analyze(url: string, ...tables: readonly string[]): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`analyze ${tables.join(', ')}`);
  await owner.end();
}
