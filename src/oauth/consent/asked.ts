import type { ParameterizedContext } from 'koa';
import type { Provider } from 'oidc-provider';
import { first } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import type { FrameState } from '../../http/frame.ts';
import { ALL_SCOPES, OIDC_SCOPES } from '../addresses.ts';
import { findClient } from '../clients/clients.ts';
import { apiScopes } from '../clients/registration.ts';
import type { Exchange } from '../provider/exchange.ts';
import type { ProviderStand } from '../provider/stand.ts';
import type { Verification } from '../rules.ts';

export type Framed = ParameterizedContext<FrameState>;

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** A request of an app that waits for a person's answer. */
export interface InteractionView {
  readonly uid: string;
  readonly client: {
    readonly id: string;
    readonly name: string;
    readonly uri: string | null;
    readonly verification: Verification;
    /** Name of the workspace whose app it is; null for a client that registered by itself. */
    readonly createdByWorkspace: string | null;
  };
  /** OpenID's and the API's, in the order of the request; only what the client may have. */
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly redirectUri: string;
  readonly redirectHost: string;
  /** The person must sign in anew after `beganAt`. */
  readonly promptLogin: boolean;
  /** So many seconds ago the sign-in may be at most; null when that does not matter. */
  readonly maxAge: number | null;
  readonly beganAt: Date;
}

/** The request that this browser began, by its signed cookie: a link that was passed on opens nothing. */
export async function readAsked(
  stand: ProviderStand,
  ctx: Framed,
  sql: Exchange['sql'],
): Promise<InteractionView> {
  const { provider } = stand.current();
  const details = await provider.interactionDetails(ctx.req, ctx.res).catch(() => null);
  if (!details || details.uid !== ctx.state.params?.['uid']) throw notFound('request of an app');
  if (!(await mayReturn(provider, details))) throw notFound('request of an app');
  return viewOf(sql, details);
}

/** The app may have given up the address since its request: then nothing goes there any more, no refusal either. */
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
  };
}
