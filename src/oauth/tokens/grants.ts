import { holdsSeat, type Role } from '../../access/roles.ts';
import { first, type Sql } from '../../db/sql.ts';
import type { MemberStatus } from '../../members/rules.ts';
import { lockConnections } from '../connections/locking.ts';

/** What is behind a token: the grant, its connection, and the person's current state. */
export interface Granted {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly email: string;
  readonly role: Role;
  readonly status: MemberStatus;
  /** Whether the recorded last use is old enough to be updated. */
  readonly stale: boolean;
}

/**
 * Null if the grant or token was revoked, or the app deleted.
 *
 * @param sql as the system
 */
export const findGranted = (sql: Sql, grantId: string, jti = ''): Promise<Granted | null> =>
  first<Granted>(
    sql,
    `select g.organization_id as "organizationId", k.id as "connectionId", c.id as "clientId", c.name as "clientName",
       m.id as "memberId", m.name as "memberName", m.email, m.role, m.status,
       coalesce(k.last_used_at < now() - interval '1 minute', true) as stale
     from oauth_grants g
     join oauth_connections k on k.organization_id = g.organization_id and k.id = g.connection_id
     join oauth_clients c on c.id = k.client_id
     join members m on m.organization_id = k.organization_id and m.id = k.member_id
     where g.id = $1 and not exists (select from oauth_denied_tokens d where d.jti = $2)`,
    [grantId, jti],
    'oauth-granted',
  );

/** Only members with a seat who are not Viewers may authorize apps and be acted for (specification, Flow). */
export const mayAuthorize = ({ status, role }: Pick<Granted, 'status' | 'role'>): boolean =>
  status === 'active' && holdsSeat(role);

/**
 * Records that an app was used, for the list of connected apps and the expiry of unused clients. A row that somebody
 * else holds is left out: they are noting the same or taking the app away, and waiting for them could be a deadlock.
 */
export async function noteUse(
  sql: Sql,
  { organizationId, connectionId, clientId }: Granted,
): Promise<void> {
  await sql.rows(
    `update oauth_connections set last_used_at = now() where organization_id = $1 and id =
       (select id from oauth_connections where organization_id = $1 and id = $2 for no key update skip locked)`,
    [organizationId, connectionId],
    'oauth-connection-used',
  );
  await sql.rows(
    `update oauth_clients set last_used_at = now() where id =
       (select id from oauth_clients where id = $1 for no key update skip locked)`,
    [clientId],
    'oauth-client-used',
  );
}

/**
 * Whether a grant `g` has a code or token that may still be good. Only a refresh token lives longer than an hour: no
 * request, code and access token together do.
 */
const ALIVE = `(g.created_at > now() - interval '1 hour'
  or exists (select from oauth_artifacts a where a.grant_id = g.id and a.expires_at > now()))`;

/** A grant `g` of which nothing is left, beside a newer one of its connection. The last one says what was granted. */
export const OUTLIVED = `not ${ALIVE} and exists (select from oauth_grants n where n.organization_id = g.organization_id
  and n.connection_id = g.connection_id and (n.created_at, n.id) > (g.created_at, g.id))`;

/** A grant that was ended, and whether its connection ended with it. */
export interface EndedGrant extends Granted {
  readonly disconnected: boolean;
}

/** Ends a grant with its codes and tokens, and also its connection if nothing else was granted that is still good. */
export async function endGrant(sql: Sql, grantId: string): Promise<EndedGrant | null> {
  const granted = await findGranted(sql, grantId);
  if (!granted) return null;
  await lockConnections(sql, granted.organizationId, granted.clientId);
  const [ended] = await sql.rows('delete from oauth_grants where id = $1 returning id', [grantId]);
  if (!ended) return null;
  const gone = await sql.rows(
    `delete from oauth_connections k where k.organization_id = $1 and k.id = $2
       and not exists (select from oauth_grants g where g.organization_id = $1 and g.connection_id = $2 and ${ALIVE})
     returning id`,
    [granted.organizationId, granted.connectionId],
  );
  return { ...granted, disconnected: gone.length > 0 };
}
