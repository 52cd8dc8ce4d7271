import { isThroughApp } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
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
