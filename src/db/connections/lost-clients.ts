import type pg from 'pg';

/** By then, whoever held the connection has noticed. */
const GRACE_MS = 1_000;

/**
 * Removes connections from the pool that were lost while in use. The ORM never returns one whose transaction it
 * cannot roll back, so each restart of PostgreSQL would shrink the pool by those in a transaction, until every change
 * is refused.
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
