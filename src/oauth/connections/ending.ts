import { system } from '../../access/actor.ts';
import { auditAll, type Happening } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { actingIn } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { pauseMadeThrough, RECEIVES } from '../../webhooks/pausing.ts';

/** An app, and a member for whom it acted. */
interface Ended {
  readonly app: { readonly id: string; readonly name: string };
  readonly memberId: string;
}

/** An app that is removed, and a workspace's members for whom it acted: none, where only an endpoint of it is left. */
export interface Removed extends Pick<Ended, 'app'> {
  readonly memberIds: readonly string[];
}

/** SQL: where an app acts for somebody, or left an endpoint that receives. */
export const REACHES = `(select organization_id, client_id, member_id from oauth_connections
  union all select e.organization_id, e.app_id, null from webhook_endpoints e where e.app_id is not null and ${RECEIVES})`;

type Where = Pick<Context, 'organizationId' | 'now' | 'recorded'>;

/** As the log has it. */
export const disconnected = ({ app, memberId }: Ended): Happening => ({
  action: 'app.disconnected',
  target: { type: 'app', ...app },
  changes: [{ field: 'member', from: memberId, to: null }],
});

/**
 * Pauses in a workspace what apps created for its members that act for them no longer, since they were removed
 * themselves, and tells it so: not who did it. Call it last, and for several workspaces in the order of their ids, so that
 * two callers cannot deadlock.
 *
 * @param sql in a transaction of the system
 * @param by why, as `deleted app`
 */
export const endIn = (
  sql: Sql,
  where: Where,
  by: string,
  removed: readonly Removed[],
): Promise<void> =>
  actingIn(sql, where.organizationId, async () => {
    const ended = removed.flatMap(({ app, memberIds }) =>
      memberIds.map((memberId) => disconnected({ app, memberId })),
    );
    const paused: Happening[] = [];
    for (const { app, memberIds } of removed)
      paused.push(...(await pauseMadeThrough({ sql, ...where }, app, memberIds)));
    await auditAll({ sql, ...where, actor: system(by), request: null }, [...ended, ...paused]);
  });
