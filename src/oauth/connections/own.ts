import type { RequestInfo } from '../../context.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { type Database, inWorkspace } from '../../db/database.ts';
import { notFound } from '../../errors.ts';
import { memberActor } from '../../members/actors.ts';
import type { Verification } from '../rules.ts';
import { disconnect, ITS_ENDPOINTS } from './service.ts';

/** An app that a person connected in one of their workspaces. */
export interface OwnConnection {
  /** `cnx_…` */
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly memberId: string;
  readonly appName: string;
  readonly verification: Verification;
  /** Everything that was granted, over all installations. */
  readonly scopes: readonly string[];
  /** What they were granted for. */
  readonly resources: readonly string[];
  /** The names of the active webhook endpoints that are paused with it. */
  readonly endpoints: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The apps that act for this person, newest first, in every workspace they may enter. */
export async function connectionsOf(
  { system }: Pick<Database, 'system'>,
  userId: string,
): Promise<OwnConnection[]> {
  const { rows } = await system.query<OwnConnection>({
    name: 'oauth-connections-of',
    text: `select k.id, k.organization_id as "organizationId", w.name as "organizationName", m.id as "memberId",
        c.name as "appName", c.verification, k.created_at as "createdAt", k.last_used_at as "lastUsedAt",
        array(select distinct s from oauth_grants g, unnest(g.scopes) s
              where g.organization_id = k.organization_id and g.connection_id = k.id order by s) as scopes,
        array(select distinct g.resource from oauth_grants g
              where g.organization_id = k.organization_id and g.connection_id = k.id and g.resource is not null) as resources,
        ${ITS_ENDPOINTS} as endpoints
      from members m
      join oauth_connections k on k.organization_id = m.organization_id and k.member_id = m.id
      join oauth_clients c on c.id = k.client_id
      join workspaces w on w.organization_id = k.organization_id
      where m.user_id = $1 and m.status = 'active' order by k.id desc`,
    values: [userId],
  });
  return rows;
}

interface TakingBack extends ContextParts {
  readonly clock: Clock;
}

/**
 * A person disconnects an app: its tokens stop working at the next call. Throws 404 if the connection is not theirs.
 */
export async function takeBack(
  { database, wake, clock }: TakingBack,
  session: { readonly id: string; readonly userId: string },
  id: string,
  request: RequestInfo,
): Promise<void> {
  const own = (await connectionsOf(database, session.userId)).find((one) => one.id === id);
  if (!own) throw notFound('connection');
  const { organizationId, memberId } = own;
  const through = { credentialId: session.id, app: null };
  const actor = await inWorkspace(database, organizationId, (sql) =>
    memberActor(sql, organizationId, memberId, through),
  );
  if (!actor) throw notFound('connection');
  const asked = { organizationId, actor, now: clock.now(), request };
  await disconnect(createContext({ database, wake }, asked), id);
}
