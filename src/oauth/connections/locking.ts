import { isThroughApp } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';

/**
 * For what an app leaves behind that must not outlive its connection: the connection stays until the commit, so whoever
 * ends it finds what was made. Throws 401 if it was ended after the call came in. Call it before other locks.
 */
export async function holdConnection({ actor, sql, organizationId }: Context): Promise<void> {
  if (actor.type !== 'member' || !isThroughApp(actor)) return;
  const [stands] = await sql.rows(
    'select id from oauth_connections where organization_id = $1 and id = $2 for key share',
    [organizationId, actor.credentialId],
  );
  if (!stands) throw new AppError('unauthorized', 'The app was disconnected.');
}

/**
 * For whoever ends a connection of an app and then asks whether it was the workspace's last: two at once would each see
 * the other's still there. Call it before the connection goes.
 */
export const lockConnections = (
  sql: Sql,
  organizationId: string,
  clientId: string,
): Promise<unknown> =>
  sql.rows(
    'select id from oauth_connections where organization_id = $1 and client_id = $2 order by id for update',
    [organizationId, clientId],
  );

/**
 * For whoever removes apps with all their connections, and then tells each workspace of its own: what is being ended just
 * now is waited for, and not told twice.
 *
 * @param sql of the system role
 */
export const lockEverywhere = (sql: Sql, clientIds: readonly string[]): Promise<unknown> =>
  sql.rows(
    'select from oauth_connections where client_id = any($1) order by organization_id, id for update',
    [clientIds],
  );
