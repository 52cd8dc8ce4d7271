import { system } from '../../access/actor.ts';
import { auditAll, type Happening } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { actingIn } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { pauseMadeThrough } from '../../webhooks/pausing.ts';

/** An app, and a member for whom it acted. */
export interface Ended {
  readonly app: { readonly id: string; readonly name: string };
  readonly memberId: string;
}

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
export const endIn = (sql: Sql, where: Where, by: string, ended: readonly Ended[]): Promise<void> =>
  actingIn(sql, where.organizationId, async () => {
    const paused: Happening[] = [];
    for (const { app, memberId } of ended)
      paused.push(...(await pauseMadeThrough({ sql, ...where }, app, [memberId])));
    await auditAll({ sql, ...where, actor: system(by), request: null }, [
      ...ended.map(disconnected),
      ...paused,
    ]);
  });
