import { asSystem, type Database, inWorkspace } from '../db/database.ts';

const OVER = 'previous_valid_until <= $1';

interface Over {
  readonly organizationId: string;
  readonly id: string;
}

/**
 * Removes the ciphertext of previous secrets that sign no more (specification, Secret rotation: 24 hours).
 * Answers how many.
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
