import { system } from '../../access/actor.ts';
import { auditAll } from '../../audit/service.ts';
import { actingIn } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';

/** An app, and a member for whom it acted. */
export interface Ended {
  readonly app: { readonly id: string; readonly name: string };
  readonly memberId: string;
}

interface Where {
  readonly organizationId: string;
  readonly now: Date;
}

/**
 * Tells a workspace which apps act for its members no longer, since they were removed themselves: not who did so. Call it
 * last, and for several workspaces in the order of their ids, so that two callers cannot deadlock.
 *
 * @param sql in a transaction of the system
 * @param by why, as `deleted app`
 */
export const logEnded = (
  sql: Sql,
  { organizationId, now }: Where,
  by: string,
  ended: readonly Ended[],
): Promise<void> =>
  actingIn(sql, organizationId, () =>
    auditAll(
      { sql, organizationId, actor: system(by), request: null, now },
      ended.map(({ app, memberId }) => ({
        action: 'app.disconnected' as const,
        target: { type: 'app', ...app },
        changes: [{ field: 'member', from: memberId, to: null }],
      })),
    ),
  );
