import { asSystem, type Database, inWorkspace } from '../db/database.ts';

const OVER = 'previous_valid_until <= $1';

interface Over {
  readonly organizationId: string;
  readonly id: string;
}

/**
 * Deletes the ciphertext of previous secrets that no longer sign (specification, Secret rotation: 24 hours). Returns
 * how many.
 */
export async function forgetPreviousSecrets(
  database: Pick<Database, 'app' | 'system'>,
  now: Date,
): Promise<number> {
  const over = await asSystem(database, (sql) =>
    sql.rows<Over>(
      `select organization_id as "organizationId", id from webhook_endpoints where ${OVER}`,
      [now],
    ),
  );
  for (const { organizationId, id } of over) {
    await inWorkspace(database, organizationId, (sql) =>
      sql.rows(
        `update webhook_endpoints set previous_secret = null, previous_valid_until = null
         where organization_id = $2 and id = $3 and ${OVER}`,
        [now, organizationId, id],
      ),
    );
  }
  return over.length;
}

/** A day longer than its deliveries, which are dropped by whole days. */
const ENDED = `e.deleted_at < $1::timestamptz - interval '31 days'
  and not exists (select from webhook_deliveries d where d.organization_id = e.organization_id and d.endpoint_id = e.id)`;

/**
 * Deletes endpoints and listeners that were marked as deleted, with their secrets, once the 30 days of their
 * deliveries are over. Returns how many.
 */
export async function forgetDeletedEndpoints(
  database: Pick<Database, 'app' | 'system'>,
  now: Date,
): Promise<number> {
  const ended = await asSystem(database, (sql) =>
    sql.rows<Over>(
      `select e.organization_id as "organizationId", e.id from webhook_endpoints e where ${ENDED}`,
      [now],
    ),
  );
  for (const { organizationId, id } of ended) {
    await inWorkspace(database, organizationId, (sql) =>
      sql.rows(
        `delete from webhook_endpoints e where e.organization_id = $2 and e.id = $3 and ${ENDED}`,
        [now, organizationId, id],
      ),
    );
  }
  return ended.length;
}
