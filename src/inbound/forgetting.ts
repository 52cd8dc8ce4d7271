import type { Sql } from '../db/sql.ts';

/** Rows for each statement, so that none is long. */
const AT_ONCE = 5_000;

/**
 * Deletes the bodies of webhooks that were taken in, two days after they came, as the system role.
 *
 * @returns whether there may be more
 */
export async function deleteOldWebhooks(system: Sql): Promise<boolean> {
  const gone = await system.rows(
    `delete from inbound_webhooks where sha256 in (
       select sha256 from inbound_webhooks
       where received_at < now() - interval '2 days' and processed_at is not null limit $1)
     returning 1`,
    [AT_ONCE],
    'old-webhooks',
  );
  return gone.length === AT_ONCE;
}
