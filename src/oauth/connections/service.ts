import { requirePermission } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { Context, ReadContext } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { notFound } from '../../errors.ts';
import type { Verification } from '../rules.ts';

/** An app that acts for a person of the workspace. */
export interface ConnectionRecord {
  /** `cnx_…` */
  readonly id: string;
  readonly app: {
    readonly id: string;
    readonly name: string;
    readonly uri: string | null;
    readonly verification: Verification;
    /** It registered itself: neither the service nor a workspace vouches for it. */
    readonly registered: boolean;
  };
  readonly member: { readonly id: string; readonly name: string };
  /** Everything that was granted, over all installations. */
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface ConnectionRow {
  readonly id: string;
  readonly client_id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly source: string;
  readonly verification: Verification;
  readonly member_id: string;
  readonly member_name: string;
  readonly scopes: readonly string[] | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const CONNECTION = `select k.id, k.client_id, a.name, a.uri, a.source, a.verification, k.member_id, m.name as member_name,
  k.created_at, k.last_used_at,
  (select array_agg(distinct s) from oauth_grants g, unnest(g.scopes) s
   where g.organization_id = k.organization_id and g.connection_id = k.id) as scopes
  from oauth_connections k
  join members m on m.organization_id = k.organization_id and m.id = k.member_id
  cross join lateral wms.connected_app(k.client_id) a
  where k.organization_id = $1`;

/** All apps connected to the workspace, newest first, for Owners and Admins (specification). */
export async function listConnections(ctx: ReadContext): Promise<ConnectionRecord[]> {
  requirePermission(ctx.actor, 'developers.read');
  const rows = await ctx.sql.rows<ConnectionRow>(`${CONNECTION} order by k.id desc`, [
    ctx.organizationId,
  ]);
  return rows.map(recordOf);
}

const recordOf = (row: ConnectionRow): ConnectionRecord => ({
  id: row.id,
  app: {
    id: row.client_id,
    name: row.name,
    uri: row.uri,
    verification: row.verification,
    registered: row.source === 'registered',
  },
  member: { id: row.member_id, name: row.member_name },
  scopes: (row.scopes ?? []).toSorted(),
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

/**
 * Disconnects an app: its codes and refresh tokens are deleted, its access tokens stop working at the next call.
 * Owners and Admins may disconnect every app, others their own. Throws 404.
 */
export async function disconnect(ctx: Context, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await first<ConnectionRow>(tx.sql, `${CONNECTION} and k.id = $2`, [
      tx.organizationId,
      id,
    ]);
    if (!row) throw notFound('connection');
    if (tx.actor.id !== row.member_id) requirePermission(tx.actor, 'developers.manage');
    const [gone] = await tx.sql.rows(
      'delete from oauth_connections where organization_id = $1 and id = $2 returning id',
      [tx.organizationId, id],
    );
    if (!gone) throw notFound('connection');
    await audit(tx, {
      action: 'app.disconnected',
      target: { type: 'app', id: row.client_id, name: row.name },
      changes: [{ field: 'member', from: row.member_id, to: null }],
    });
  });
}
