import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isPrintable } from '../../access/names.ts';
import { ALL_SCOPES, OIDC_SCOPES } from '../addresses.ts';
import { isLoopback, MAX_REDIRECT_URIS, redirectUriProblem } from '../rules.ts';

/** Ids of self-registered clients have their own prefix, so that none equals a person's id or a workspace app's. */
export const newRegisteredId = (): string => `dcr_${randomBytes(18).toString('base64url')}`;
export const isRegisteredId = (id: unknown): boolean =>
  typeof id === 'string' && id.startsWith('dcr_');
/** 256 random bits (specification, Registering an app). */
export const newSecret = (): string => `cs_live_${randomBytes(32).toString('base64url')}`;

/** Why a registration was refused, as an error code of RFC 7591. */
export class RegistrationRefused extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';
  constructor(code: RegistrationRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const redirectUri = z
  .string()
  .max(500)
  .superRefine((uri, ctx) => {
    const problem = redirectUriProblem(uri);
    if (problem) ctx.addIssue(`${uri.slice(0, 100)} ${problem}`);
  });

/** By its own scheme a program is reached by whoever claims that scheme first (design, OAuth: refused). */
const OWN_SCHEME = /^(?!https?:)[a-z][a-z\d+.-]*:/i;

/** Those that may be used, if there are any: some programs name one of their own scheme in every registration. */
function withoutOwnSchemes(uris: readonly string[]): readonly string[] {
  const others = uris.filter((uri) => !OWN_SCHEME.test(uri));
  return others.length > 0 ? others : uris;
}

const GRANTS = ['authorization_code', 'refresh_token'];

/**
 * Everything not named here is dropped and never fetched: logo_uri, jwks_uri, request_uris, require_pkce and so on.
 */
const metadata = z.object({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .refine(isPrintable, 'has characters that cannot be seen')
    .default('Unnamed app'),
  client_uri: z
    .url({ protocol: /^https$/ })
    .max(500)
    .optional()
    .catch(undefined),
  redirect_uris: z
    .array(z.string())
    .min(1)
    .max(MAX_REDIRECT_URIS)
    .transform((uris) => [...new Set(withoutOwnSchemes(uris))])
    .pipe(z.array(redirectUri)),
  application_type: z.enum(['web', 'native']).optional(),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post'])
    .default('client_secret_basic'),
  grant_types: z
    .array(z.string())
    .default(GRANTS)
    .transform((types) => types.filter((type) => GRANTS.includes(type))),
  response_types: z.array(z.literal('code')).min(1).default(['code']),
  scope: z.string().max(2_000).optional(),
});

export type RegistrationRequest = Readonly<Record<string, unknown>>;

/**
 * Checks a registration, and reduces it to what the library may see: nothing that it would act on by itself. Scopes
 * of the API are passed under a name of ours, because the library only knows OpenID's. Throws `RegistrationRefused`.
 */
export function guardRegistration(sent: unknown): RegistrationRequest {
  const parsed = metadata.safeParse(sent);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.join('.') || 'the body';
    throw new RegistrationRefused(
      issue?.path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `${path}: ${issue?.message ?? 'is not valid'}`,
    );
  }
  const { scope, application_type: wanted, ...rest } = parsed.data;
  const asked = (scope ?? '').split(' ').filter((name) => ALL_SCOPES.includes(name));
  return {
    ...rest,
    application_type: typeOf(rest.redirect_uris, wanted),
    ...(asked.length > 0 ? { api_scope: asked.join(' ') } : {}),
  };
}

type ApplicationType = 'native' | 'web';

/**
 * `native` if a redirect is http, so on loopback, where any port may be used (RFC 8252): the library allows that to
 * native clients only, and https on loopback to none of them.
 *
 * @param wanted what the client calls itself, which decides where https is all it has
 */
export function typeOf(
  redirectUris: readonly string[],
  wanted: ApplicationType = 'web',
): ApplicationType {
  if (redirectUris.some((uri) => uri.startsWith('https:') && isLoopback(uri))) return 'web';
  return redirectUris.some((uri) => uri.startsWith('http:')) ? 'native' : wanted;
}

/** The answer to a registration, with the scopes back under their own name. */
export function presentRegistration(body: Readonly<Record<string, unknown>>): object {
  const { api_scope: scope, ...rest } = body;
  return {
    ...rest,
    scope: typeof scope === 'string' && scope !== '' ? scope : ALL_SCOPES.join(' '),
  };
}

/** The API scopes that a client may request at all. */
export const apiScopes = (asked: readonly string[]): string[] =>
  (asked.length > 0 ? asked : ALL_SCOPES).filter(
    (name) => !(OIDC_SCOPES as readonly string[]).includes(name),
  );
