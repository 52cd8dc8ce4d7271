import pg from 'pg';

/**
 * Works on a connection of its own as the database's owner, which migrates.
 *
 * @param options of the connection, such as `-c lock_timeout=2000`
 */
export async function asOwner<T>(
  ownerUrl: string,
  work: (client: pg.Client) => Promise<T>,
  options?: string,
): Promise<T> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    connectionTimeoutMillis: 3_000,
    ...(options === undefined ? {} : { options }),
  });
  // A lost connection is reported to whoever awaits the query.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
