import type { Provider } from 'oidc-provider';
import { first } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import type { Framed } from '../../http/framed.ts';
import { ALL_SCOPES, OIDC_SCOPES } from '../addresses.ts';
import { findClient } from '../clients/clients.ts';
import { apiScopes } from '../clients/registration.ts';
import type { CurrentProvider } from '../provider/current-provider.ts';
import type { Exchange } from '../provider/exchange.ts';
import type { Verification } from '../rules.ts';

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** An app's request that waits for a person's answer. */
export interface InteractionView {
  readonly uid: string;
  readonly client: {
    readonly id: string;
    readonly name: string;
    readonly uri: string | null;
    readonly verification: Verification;
    /** The name of the workspace that owns the app; null for a client that registered itself. */
    readonly createdByWorkspace: string | null;
  };
  /** Scopes of OpenID and of the API, in the order of the request; only those that the client may have. */
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly redirectUri: string;
  readonly redirectHost: string;
  /** Whether the person must sign in again after `beganAt`. */
  readonly promptLogin: boolean;
  /** The greatest age of the sign-in, in seconds; null for any. */
  readonly maxAge: number | null;
  readonly beganAt: Date;
  /** Where the browser goes on if the request was answered already; else null. */
  readonly goesOnAt: string | null;
}

/** The request that this browser began, identified by its signed cookie, so that a forwarded link opens nothing. */
export async function readAsked(
  stand: CurrentProvider,
  ctx: Framed,
  sql: Exchange['sql'],
): Promise<InteractionView> {
  const { provider } = stand.current();
  const details = await provider.interactionDetails(ctx.req, ctx.res).catch(() => null);
  if (!details || details.uid !== ctx.state.params?.['uid']) throw notFound('request of an app');
  if (!(await mayReturn(provider, details))) throw notFound('request of an app');
  return viewOf(sql, details);
}

/**
 * If the app has removed the redirect address since its request, nothing is sent there any more, not even a refusal.
 */
async function mayReturn({ Client }: Provider, { params }: Details): Promise<boolean> {
  const client = await Client.find(String(params['client_id']));
  return client?.redirectUriAllowed(String(params['redirect_uri'])) ?? false;
}

async function viewOf(sql: Exchange['sql'], details: Details): Promise<InteractionView> {
  const { params } = details;
  const client = await findClient(sql, String(params['client_id']));
  if (!client) throw notFound('app');
  const owner = await first<{ name: string }>(
    sql,
    'select name from workspaces where organization_id = $1',
    [client.organization_id],
  );
  const asked = String(params['scope'] ?? '').split(' ');
  const allowed = [...OIDC_SCOPES, ...apiScopes(client.scopes)];
  const redirectUri = String(params['redirect_uri']);
  const uri = client.metadata['client_uri'];
  const maxAge = params['max_age'];
  return {
    uid: details.uid,
    client: {
      id: client.id,
      name: client.name,
      uri: typeof uri === 'string' ? uri : null,
      verification: client.verification,
      createdByWorkspace: owner?.name ?? null,
    },
    scopes: ALL_SCOPES.filter((scope) => asked.includes(scope) && allowed.includes(scope)),
    resource: typeof params['resource'] === 'string' ? params['resource'] : null,
    redirectUri,
    redirectHost: new URL(redirectUri).host,
    promptLogin: String(params['prompt'] ?? '')
      .split(' ')
      .includes('login'),
    maxAge: maxAge === undefined ? null : Number(maxAge),
    beganAt: new Date(details.iat * 1_000),
    goesOnAt: details.result ? details.returnTo : null,
  };
}
