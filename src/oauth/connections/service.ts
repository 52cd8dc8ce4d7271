import { requirePermission } from '../../access/actor.ts';
import { auditAll } from '../../audit/service.ts';
import type { Context, ReadContext } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { notFound } from '../../errors.ts';
import { pauseMadeThrough, RECEIVES } from '../../webhooks/pausing.ts';
import type { Verification } from '../rules.ts';
import { disconnected } from './ending.ts';
import { lockConnections } from './locking.ts';

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
  /** The names of the active webhook endpoints that are paused when it is disconnected. */
  readonly endpoints: readonly string[];
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
  readonly endpoints: readonly string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** SQL: the names of what ends with a connection `k`, as `pauseMadeThrough` finds it. */
export const ITS_ENDPOINTS = `array(select e.name from webhook_endpoints e where e.organization_id = k.organization_id
  and e.app_id = k.client_id and ${RECEIVES} and (e.member_id = k.member_id or not exists (
    select from oauth_connections o where o.organization_id = k.organization_id and o.client_id = k.client_id and o.id <> k.id))
  order by e.id)`;

const CONNECTION = `select k.id, k.client_id, a.name, a.uri, a.source, a.verification, k.member_id, m.name as member_name,
  k.created_at, k.last_used_at,
  (select array_agg(distinct s) from oauth_grants g, unnest(g.scopes) s
   where g.organization_id = k.organization_id and g.connection_id = k.id) as scopes, ${ITS_ENDPOINTS} as endpoints
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
  endpoints: row.endpoints,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

/**
 * Disconnects an app: its codes and refresh tokens are deleted, its access tokens stop working at the next call, and the
 * webhook endpoints that it created for the person are paused, with the last connection all that it created.
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
    await lockConnections(tx.sql, tx.organizationId, row.client_id);
    const [gone] = await tx.sql.rows(
      'delete from oauth_connections where organization_id = $1 and id = $2 returning id',
      [tx.organizationId, id],
    );
    if (!gone) throw notFound('connection');
    const app = { id: row.client_id, name: row.name };
    const paused = await pauseMadeThrough(tx, app, [row.member_id]);
    await auditAll(tx, [disconnected({ app, memberId: row.member_id }), ...paused]);
  });
}
