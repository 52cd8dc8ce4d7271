import { randomBytes } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import type { Sql } from '../../db/sql.ts';
import type { Addresses } from '../addresses.ts';
import type { PresentedToken } from '../provider/exchange.ts';
import { ACCESS_TOKEN_S } from '../rules.ts';
import { findGranted } from './grants.ts';
import { type KeySet, SIGNING_ALG } from './signing-keys.ts';

/** Every claim of an access token is required and checked (RFC 9068). */
const REQUIRED = [
  'exp',
  'iat',
  'sub',
  'client_id',
  'grant_id',
  'connection_id',
  'organization_id',
  'jti',
];

export interface AccessClaims extends JWTPayload {
  readonly jti: string;
  readonly sub: string;
  readonly exp: number;
  readonly iat: number;
  readonly client_id: string;
  readonly grant_id: string;
  readonly connection_id: string;
  readonly organization_id: string;
  readonly scope?: string;
}

/**
 * The claims of one of our access tokens; null for anything else: another algorithm, type or issuer, an unknown key,
 * an invalid signature, an expired token. Keys and addresses inside a token are never followed.
 *
 * @param audience the one resource it must be for; absent: any of ours
 */
export async function verifyAccessToken(
  token: string,
  keys: KeySet,
  { issuer }: Pick<Addresses, 'issuer'>,
  audience?: string,
): Promise<AccessClaims | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid = '' }) => {
        const key = keys.publicKeys.get(kid);
        if (!key) throw new TypeError('an unknown key');
        return key;
      },
      {
        issuer,
        typ: 'at+jwt',
        algorithms: [SIGNING_ALG],
        requiredClaims: [...REQUIRED],
        ...(audience === undefined ? {} : { audience }),
      },
    );
    return isIssuedSo(payload) && isCanonical(token) ? payload : null;
  } catch {
    return null;
  }
}

/** The largest allowed clock difference between two machines. */
const SKEW_S = 60;

/**
 * Whether we issue tokens with such claims: never with a list of audiences, even if ours is in it, and never with a
 * long lifetime.
 */
function isIssuedSo(payload: JWTPayload): payload is AccessClaims {
  const { aud, iat = 0, exp = 0 } = payload;
  const named = REQUIRED.slice(2).every((name) => typeof payload[name] === 'string');
  const life = exp - iat <= ACCESS_TOKEN_S && iat <= Date.now() / 1_000 + SKEW_S;
  return named && life && typeof aud === 'string';
}

/** The same signature bytes have several spellings; only ours is accepted. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Three parts of base64url, which the library refuses to look up. */
const LOOKS_LIKE_JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * Makes an access token presentable for introspection and revocation: the library handles only opaque tokens, so a
 * handle takes its place. A token that is not ours or has expired gets an unknown handle, as the RFCs require.
 */
export async function presentToken(
  sql: Sql,
  form: URLSearchParams,
  keys: KeySet,
  addresses: Addresses,
): Promise<PresentedToken | null> {
  const token = form.get('token') ?? '';
  if (form.getAll('token').length !== 1 || !LOOKS_LIKE_JWT.test(token)) return null;
  const handle = `jwt_${randomBytes(24).toString('base64url')}`;
  form.set('token', handle);
  const claims = await verifyAccessToken(token, keys, addresses);
  const granted = claims && (await findGranted(sql, claims.grant_id, claims.jti));
  if (!granted) return null;
  const { jti, exp, iat, sub, client_id, grant_id, connection_id, organization_id, aud, scope } =
    claims;
  const payload = {
    kind: 'AccessToken',
    jti,
    iat,
    exp,
    aud,
    scope,
    accountId: sub,
    clientId: client_id,
    grantId: grant_id,
    extra: { organization_id, connection_id },
  };
  return { handle, jti, expiresAt: exp, payload };
}
