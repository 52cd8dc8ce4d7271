import type pg from 'pg';

/** Whoever held the connection has noticed long before. */
const GRACE_MS = 1_000;

/**
 * Takes connections that were lost while lent out of the pool. The ORM never gives one back whose
 * transaction it cannot roll back any more: each restart of PostgreSQL would shrink the pool by those that
 * were in a transaction, until every change is refused.
 */
export function dropLostClients(pool: pg.Pool): void {
  const lent = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => lent.add(client));
  pool.on('release', (_error, client) => lent.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      const drop = (): void => {
        if (lent.has(client)) client.release(true);
      };
      setTimeout(drop, GRACE_MS).unref();
    });
  });
}
