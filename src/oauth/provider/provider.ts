import Koa from 'koa';
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Log } from '../../log.ts';
import { type Addresses, OIDC_SCOPES } from '../addresses.ts';
import { findClient, secretFits } from '../clients/clients.ts';
import { findGranted, type Granted, mayAuthorize, noteUse } from '../tokens/grants.ts';
import type { KeySet } from '../tokens/signing-keys.ts';
import { adapterOf } from './adapter.ts';
import { currentExchange } from './exchange.ts';
import { noteRefusals, refuseHere } from './refusing.ts';
import { apiScopesOf, features, SETTINGS } from './settings.ts';

const AUTHORIZE_PATH = '/oauth/authorize';
/** The library's session cookie, which is neither read nor set. */
const SESSION_COOKIE = 'as_session';

export interface ProviderParts {
  readonly addresses: Addresses;
  readonly keys: KeySet;
  /** Sign the cookies of a request in progress. */
  readonly cookieKeys: readonly string[];
  readonly log: Log;
}

/**
 * The library behind our own interface: everything it does differently from what we need is adjusted here (design,
 * OAuth).
 */
export function createProvider(parts: ProviderParts): Provider {
  const { addresses, log } = parts;
  const provider = new Provider(addresses.issuer, configurationOf(parts));
  provider.Client.prototype.compareClientSecret = compareSecret;
  noteRefusals(provider);
  fixAddresses(provider);
  fixCookies(provider, addresses);
  // The library sends its own answers, but faults on our side must still be logged.
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'the authorization server failed'));
  Koa.prototype.on.call(provider, 'error', (err) => log.debug({ err }, 'connection lost'));
  return provider;
}

const configurationOf = ({ addresses, keys, cookieKeys }: ProviderParts): Configuration => ({
  adapter: adapterOf,
  jwks: keys.jwks,
  cookies: {
    keys: [...cookieKeys],
    names: { session: SESSION_COOKIE, interaction: 'as_interaction', resume: 'as_resume' },
    long: { httpOnly: true, sameSite: 'lax', signed: true, ...secure(addresses) },
    short: { httpOnly: true, sameSite: 'lax', signed: true, ...secure(addresses) },
  },
  ...SETTINGS,
  features: features(addresses),
  extraParams: { _consent_is_always_shown: checkRequest },
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, client, source) =>
    client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
  expiresWithSession: async () => false,
  // An earlier consent is never reused: the page, with its choice of workspace, is shown each time.
  loadExistingGrant: async (ctx) => {
    const grantId = ctx.oidc.result?.consent?.grantId;
    return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
  },
  findAccount: async (ctx, memberId, token) => {
    const granted = await grantedOf(token?.grantId ?? ctx.oidc.result?.consent?.grantId);
    if (granted?.memberId !== memberId || !mayAuthorize(granted)) return undefined;
    const { organizationId, memberName, email } = granted;
    const claims = {
      sub: memberId,
      organization_id: organizationId,
      name: memberName,
      email,
    };
    return { accountId: memberId, claims: () => claims };
  },
  extraTokenClaims: async (_ctx, token) => {
    const grantId = 'grantId' in token ? token.grantId : undefined;
    const granted = await grantedOf(grantId);
    if (!granted) throw new errors.InvalidGrant('the app was disconnected');
    // Some apps only renew their tokens, or only ask who signed in.
    if (granted.stale) await noteUse(currentExchange().sql, granted);
    const { organizationId, connectionId } = granted;
    return { organization_id: organizationId, connection_id: connectionId, grant_id: grantId };
  },
  interactions: { url: (_ctx, { uid }) => `${addresses.baseUrl}${AUTHORIZE_PATH}/${uid}` },
  clientBasedCORS: () => true,
  renderError: (ctx, { error, error_description: description }) =>
    refuseHere(ctx, error, description),
});

/**
 * Checks what the library does not, and restores `offline_access`: the library drops the scope unless a client sends
 * `prompt=consent`, which assumes servers that do not always ask. Runs for pushed requests too.
 */
function checkRequest(ctx: KoaContextWithOIDC): void {
  const { params, client, requestParamScopes: scopes, prompts } = ctx.oidc;
  if (!params) return;
  requireSomething(ctx);
  if (Array.isArray(params['resource']) && params['resource'].length > 0)
    throw new errors.InvalidTarget('ask for one resource at a time');
  if (params.response_mode !== undefined && params.response_mode !== 'query')
    throw new errors.InvalidRequest('response_mode must be query');
  const sent = ctx.oidc.body?.['scope'] ?? ctx.query['scope'];
  const wanted = typeof sent === 'string' && sent.split(' ').includes('offline_access');
  if (!wanted || !client?.grantTypeAllowed('refresh_token')) return;
  params.scope = [...new Set([...scopes, 'offline_access'])].filter(Boolean).join(' ');
  if (!prompts.has('none')) params.prompt = [...new Set([...prompts, 'consent'])].join(' ');
}

/** Something must be asked that a person can grant this app; staying connected alone would be consent to nothing. */
function requireSomething({ oidc }: KoaContextWithOIDC): void {
  const { client, requestParamScopes: scopes, params } = oidc;
  const own = OIDC_SCOPES.filter((scope) => scope !== 'offline_access');
  if ([...own, ...apiScopesOf(client ?? {})].some((scope) => scopes.has(scope))) return;
  throw new errors.InvalidScope('no requested scope is open to the app', String(params?.scope));
}

const grantedOf = async (grantId: string | undefined): Promise<Granted | null> =>
  grantId ? findGranted(currentExchange().sql, grantId) : null;

/** A client must authenticate in the way it registered; the library accepts Basic and post for each other. */
async function compareSecret(
  this: { clientId: string; tokenEndpointAuthMethod?: string },
  presented: string,
): Promise<boolean> {
  const basic = Provider.ctx?.headers.authorization !== undefined;
  const client = await findClient(currentExchange().sql, this.clientId);
  const fits = client !== null && secretFits(client, presented);
  return fits && basic === (this.tokenEndpointAuthMethod === 'client_secret_basic');
}

const secure = ({ baseUrl }: Addresses): { secure: boolean } => ({
  secure: baseUrl.startsWith('https:'),
});

/** Addresses are made from the issuer, never from the Host header. */
function fixAddresses(provider: Provider): void {
  const { OIDCContext } = provider as unknown as { OIDCContext: { prototype: object } };
  Object.assign(OIDCContext.prototype, {
    urlFor: (name: string, options?: object) =>
      (provider.urlFor as (name: string, options?: object) => string)(name, options),
  });
}

/** TLS ends at the proxy, so whether cookies are Secure follows the base address. */
function fixCookies(provider: Provider, addresses: Addresses): void {
  const create = provider.createContext.bind(provider);
  provider.createContext = (req, res) => {
    const ctx = create(req, res);
    Object.defineProperty(ctx.request, 'secure', { value: secure(addresses).secure });
    const { cookies } = ctx;
    const set = cookies.set.bind(cookies);
    const get = cookies.get.bind(cookies);
    cookies.set = (name, ...rest) => (name === SESSION_COOKIE ? cookies : set(name, ...rest));
    cookies.get = (name, ...rest) => (name === SESSION_COOKIE ? undefined : get(name, ...rest));
    return ctx;
  };
}
