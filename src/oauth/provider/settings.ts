import { type Configuration, errors } from 'oidc-provider';
import { type Addresses, isResource, OIDC_SCOPES } from '../addresses.ts';
import { apiScopes, newRegisteredId, newSecret } from '../clients/registration.ts';
import { ACCESS_TOKEN_S } from '../rules.ts';
import { findGranted, mayAuthorize } from '../tokens/grants.ts';
import { SIGNING_ALG } from '../tokens/signing-keys.ts';
import { currentExchange } from './exchange.ts';

const MINUTE = 60;
const DAY = 24 * 3_600;
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;

/** What never varies: addresses, methods, lifetimes in seconds. */
export const SETTINGS = {
  routes: {
    authorization: '/oauth2/authorize',
    token: '/oauth2/token',
    registration: '/oauth2/register',
    revocation: '/oauth2/revoke',
    introspection: '/oauth2/introspect',
    userinfo: '/oauth2/userinfo',
    pushed_authorization_request: '/oauth2/par',
    jwks: '/jwks',
  },
  responseTypes: ['code'],
  pkce: { required: () => true },
  allowOmittingSingleRegisteredRedirectUri: false,
  clientAuthMethods: [...AUTH_METHODS],
  enabledJWA: {
    idTokenSigningAlgValues: [SIGNING_ALG],
    userinfoSigningAlgValues: [SIGNING_ALG],
    introspectionSigningAlgValues: [SIGNING_ALG],
    authorizationSigningAlgValues: [SIGNING_ALG],
    requestObjectSigningAlgValues: [],
    clientAuthSigningAlgValues: [],
  },
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    id_token_signed_response_alg: SIGNING_ALG,
    token_endpoint_auth_method: 'client_secret_basic',
  },
  extraClientMetadata: { properties: ['api_scope'] },
  scopes: [...OIDC_SCOPES],
  claims: { openid: ['sub', 'organization_id'], profile: ['name'], email: ['email'] },
  ttl: {
    AuthorizationCode: MINUTE,
    AccessToken: ACCESS_TOKEN_S,
    IdToken: ACCESS_TOKEN_S,
    Interaction: 30 * MINUTE,
    Session: 30 * MINUTE,
    RefreshToken: 30 * DAY,
    // Each rotation starts 30 new days, and the grant must outlast them all.
    Grant: 3_650 * DAY,
  },
} satisfies Configuration;

/** The API scopes that a client may request, as its metadata say them. */
export function apiScopesOf({ api_scope: asked }: Readonly<Record<string, unknown>>): string[] {
  return apiScopes(typeof asked === 'string' ? asked.split(' ') : []);
}

const OPENID: readonly string[] = OIDC_SCOPES;

/**
 * Whether an exchange or renewal asks for the person's profile alone. Any other that names no resource is for the one
 * that was granted: clients name it once, when they ask the person.
 */
const isForProfile = (scopes: ReadonlySet<string>): boolean =>
  scopes.size > 0 && [...scopes].every((scope) => OPENID.includes(scope));

async function stillActs(token: object): Promise<boolean> {
  const grantId = 'grantId' in token && typeof token.grantId === 'string' ? token.grantId : '';
  const granted = await findGranted(currentExchange().sql, grantId);
  return granted !== null && mayAuthorize(granted);
}

/** What the server offers beyond codes and tokens, and the resources it issues tokens for. */
export const features = (addresses: Addresses): NonNullable<Configuration['features']> => ({
  devInteractions: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  // The resource servers would have to check the proofs (design, OAuth, row 42).
  dPoP: { enabled: false },
  introspection: {
    enabled: true,
    // The API refuses the token of a person who has lost access, so introspection must say so too.
    allowedPolicy: async (_ctx, client, token) =>
      token.clientId === client.clientId && (await stillActs(token)),
  },
  revocation: {
    enabled: true,
    allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
  },
  pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: false },
  registration: {
    enabled: true,
    initialAccessToken: false,
    issueRegistrationAccessToken: false,
    idFactory: newRegisteredId,
    secretFactory: newSecret,
  },
  registrationManagement: { enabled: false },
  resourceIndicators: {
    enabled: true,
    // Without a resource the audience is the authorization server itself, so no resource accepts the token.
    defaultResource: (ctx, _client, oneOf) => {
      if (oneOf) return oneOf;
      return ctx.oidc.requestParamScopes.has('openid') ? [] : addresses.issuer;
    },
    useGrantedResource: ({ oidc }) => !isForProfile(oidc.requestParamScopes),
    getResourceServerInfo: (_ctx, resource, client) => {
      if (!isResource(addresses, resource) && resource !== addresses.issuer)
        throw new errors.InvalidTarget(`resource must be ${addresses.api} or ${addresses.mcp}`);
      return {
        scope: apiScopesOf(client).join(' '),
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: ACCESS_TOKEN_S,
        jwt: { sign: { alg: SIGNING_ALG } },
      };
    },
  },
});
