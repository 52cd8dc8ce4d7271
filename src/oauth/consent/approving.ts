import { randomBytes } from 'node:crypto';
import type { InteractionResults } from 'oidc-provider';
import type { MemberActor } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { ReadContext } from '../../context.ts';
import type { Clock } from '../../db/clock.ts';
import { actingIn, type Database } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { memberActor } from '../../members/actors.ts';
import { OIDC_SCOPES } from '../addresses.ts';
import type { CurrentProvider } from '../provider/current-provider.ts';
import type { Exchange } from '../provider/exchange.ts';
import { FOREIGN_WORKSPACES, mustSignInAgain } from '../rules.ts';
import type { InteractionView } from './asked.ts';

export interface ApprovingParts {
  readonly database: Pick<Database, 'system'>;
  readonly clock: Clock;
  readonly stand: CurrentProvider;
}

export interface Approval {
  /** The workspace that the token is for, and the person's member record there. */
  readonly organizationId: string;
  readonly memberId: string;
  /** The session on the consent page; it must belong to the same person as the member. */
  readonly session: { readonly id: string; readonly userId: string; readonly signedInAt: Date };
  /** Those of `InteractionView.scopes` that the person grants. */
  readonly scopes: readonly string[];
}

/** Tells the authorization server how the request was answered; returns the address at which the browser goes on. */
export type Keep = (result: InteractionResults) => Promise<string>;

interface Answering {
  readonly keep: Keep;
  readonly view: InteractionView;
  /** In a transaction, which holds the request. */
  readonly exchange: Exchange;
}

/**
 * Stores what the person granted.
 *
 * @returns the address at which the browser goes on
 */
export async function approve(
  parts: ApprovingParts,
  { keep, view, exchange }: Answering,
  approval: Approval,
): Promise<string> {
  const { sql, request } = exchange;
  const now = parts.clock.now();
  requireSignIn(view, approval, now);
  const grantId = randomBytes(24).toString('base64url');
  await saveGrant(parts, view, approval, grantId);
  const { organizationId, memberId: accountId, session } = approval;
  const ts = Math.floor(+session.signedInAt / 1_000);
  const target = await keep({ login: { accountId, ts, remember: false }, consent: { grantId } });
  // Last, for it holds the log of the workspace.
  await actingIn(sql, organizationId, async () => {
    const actor = await actorOf(sql, approval);
    await connect({ sql, organizationId, actor, request, now }, view, approval, grantId);
  });
  return target;
}

function requireSignIn(view: InteractionView, { session }: Approval, now: Date): void {
  if (mustSignInAgain(view, session.signedInAt, now))
    throw new AppError('invalid_state', 'The app asks for a new sign-in. Sign in again first.');
}

async function actorOf(
  sql: Sql,
  { organizationId, memberId, session }: Approval,
): Promise<MemberActor> {
  const [own] = await sql.rows(
    'select id from members where organization_id = $1 and id = $2 and user_id = $3',
    [organizationId, memberId, session.userId],
  );
  const through = { credentialId: session.id, app: null };
  const actor = own ? await memberActor(sql, organizationId, memberId, through) : null;
  if (!actor || actor.role === 'viewer')
    throw new AppError('forbidden', 'Only a member with a seat who is no Viewer authorizes apps.');
  return actor;
}

type Connecting = ReadContext & { readonly actor: MemberActor };

async function connect(
  ctx: Connecting,
  { client, resource, scopes: asked }: InteractionView,
  { memberId, scopes: answered }: Approval,
  grantId: string,
): Promise<void> {
  const { sql, organizationId, now } = ctx;
  const scopes = asked.filter((scope) => answered.includes(scope));
  const allowed = await first<{ may: boolean }>(sql, 'select wms.may_connect($1, $2) as may', [
    client.id,
    FOREIGN_WORKSPACES,
  ]);
  if (!allowed?.may)
    throw new AppError(
      'quota',
      `This app is not verified: it connects to its own workspace and ${FOREIGN_WORKSPACES} more.`,
      { limit: FOREIGN_WORKSPACES },
    );
  const [connection] = await sql.rows<{ id: string }>(
    `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, client_id, member_id) do update set client_id = excluded.client_id returning id`,
    [organizationId, newId('cnx'), client.id, memberId, now],
  );
  await sql.rows(
    `insert into oauth_grants (organization_id, id, connection_id, resource, scopes, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [organizationId, grantId, connection?.id, resource, scopes, now],
  );
  await audit(ctx, {
    action: 'app.connected',
    target: { type: 'app', id: client.id, name: client.name },
    changes: [{ field: 'scopes', from: null, to: scopes }],
  });
}

/** What was not granted must be recorded as refused, or the library would keep asking. */
async function saveGrant(
  { stand }: ApprovingParts,
  { client, scopes: asked, resource }: InteractionView,
  { memberId, scopes }: Approval,
  grantId: string,
): Promise<void> {
  const { provider } = stand.current();
  const grant = new provider.Grant({ accountId: memberId, clientId: client.id });
  grant.jti = grantId;
  const isOidc = (scope: string): boolean => (OIDC_SCOPES as readonly string[]).includes(scope);
  for (const scope of asked) {
    const granted = scopes.includes(scope);
    if (isOidc(scope) && granted) grant.addOIDCScope(scope);
    else if (isOidc(scope)) grant.rejectOIDCScope(scope);
    else if (resource && granted) grant.addResourceScope(resource, scope);
    else if (resource) grant.rejectResourceScope(resource, scope);
  }
  await grant.save();
}
