import { requirePermission } from '../../access/actor.ts';
import { auditAll } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { actingIn, asSystem, type Database } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { pauseMadeThrough } from '../../webhooks/pausing.ts';
import { endIn, REACHES } from '../connections/ending.ts';
import { lockEverywhere } from '../connections/locking.ts';

interface App {
  readonly id: string;
  readonly name: string;
}

/** A workspace, and the members for whom the app acted there. */
interface Connected {
  readonly organizationId: string;
  readonly memberIds: readonly string[];
}

/**
 * Deletes an app with its connections, codes and tokens in every workspace: the next call with any of them is
 * refused, and the webhook endpoints that it created are paused. Every workspace that had it connected gets an audit
 * entry; who deleted it, and from where, is recorded only in the app's own workspace. Throws 404.
 *
 * @param ctx of the app's workspace, outside a transaction
 */
export async function deleteApp(
  database: Pick<Database, 'system'>,
  ctx: Context,
  id: string,
): Promise<void> {
  requirePermission(ctx.actor, 'developers.manage');
  const recorded: Context['recorded'] = new Set();
  await asSystem(database, async (sql) => {
    const app = await first<App>(
      sql,
      'select id, name from oauth_clients where organization_id = $1 and id = $2 for update',
      [ctx.organizationId, id],
    );
    if (!app) throw notFound('app');
    await lockEverywhere(sql, [id]);
    const connected = await connectedTo(sql, ctx, id);
    await sql.rows('delete from oauth_clients where id = $1', [id]);
    // In a fixed order, so that two deletions cannot deadlock.
    for (const one of connected) await endThere(sql, { ...ctx, recorded }, app, one);
  });
  await Promise.all([...recorded].map((news) => ctx.wake(news)));
}

/** Every workspace that has the app connected or receives through it, and its own. */
async function connectedTo(
  sql: Sql,
  { organizationId: own }: Context,
  id: string,
): Promise<Connected[]> {
  const rows = await sql.rows<Connected>(
    `select organization_id as "organizationId", array_remove(array_agg(member_id order by member_id), null) as "memberIds"
     from ${REACHES} r where client_id = $1 group by organization_id`,
    [id],
  );
  const isOwn = ({ organizationId }: Connected): boolean => organizationId === own;
  const all = rows.some(isOwn) ? rows : [...rows, { organizationId: own, memberIds: [] }];
  return all.sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
}

function endThere(
  sql: Sql,
  { organizationId: own, actor, request, now, recorded }: Context,
  app: App,
  { organizationId, memberIds }: Connected,
): Promise<void> {
  const where = { organizationId, now, recorded };
  if (organizationId !== own) return endIn(sql, where, 'deleted app', [{ app, memberIds }]);
  return actingIn(sql, own, async () => {
    const paused = await pauseMadeThrough({ sql, ...where }, app, memberIds);
    const target = { type: 'app', ...app };
    await auditAll({ sql, organizationId, actor, request, now }, [
      { action: 'app.deleted', target },
      ...paused,
    ]);
  });
}
