import { isScope, type Scope } from '../../access/scopes.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { KnownToken } from '../../http/callers/authenticate.ts';
import type { Addresses } from '../addresses.ts';
import type { CurrentProvider } from '../provider/current-provider.ts';
import { findGranted, mayAuthorize, noteUse } from './grants.ts';
import { type AccessClaims, verifyAccessToken } from './presented.ts';

export interface AccessTokens {
  /**
   * The member an access token stands for right now; null if the token is unknown, ended, revoked or for another
   * resource, the app was disconnected, or the person lost the seat. What they may do is read from the workspace
   * afterwards.
   *
   * @param resource `{base_url}/api/v1` or `{base_url}/api/mcp`
   */
  findMember(token: string, resource: string): Promise<KnownToken | null>;
}

interface Parts {
  readonly database: Pick<Database, 'system'>;
  readonly addresses: Addresses;
  readonly stand: CurrentProvider;
}

/** Verified signatures are remembered: a token is presented hundreds of times in its ten minutes. */
const REMEMBERED = 5_000;

/** The signature is checked once per token; what was granted is looked up at each call. */
export function createAccessTokens({ database, addresses, stand }: Parts): AccessTokens {
  const verified = rememberVerified();
  const sql = sqlOver(database.system as Parameters<typeof sqlOver>[0]);
  return {
    findMember: async (token, resource) => {
      const { keys } = stand.current();
      const claims = await verified(`${keys.version} ${resource} ${token}`, () =>
        verifyAccessToken(token, keys, addresses, resource),
      );
      if (!claims) return null;
      const granted = await findGranted(sql, claims.grant_id, claims.jti);
      const { connectionId, clientId, memberId, organizationId } = granted ?? {};
      const same =
        connectionId === claims.connection_id &&
        clientId === claims.client_id &&
        memberId === claims.sub &&
        organizationId === claims.organization_id;
      // A person who has lost access has not used the app either.
      if (!granted || !same || !mayAuthorize(granted)) return null;
      if (granted.stale) await noteUse(sql, granted);
      return {
        organizationId: granted.organizationId,
        memberId: granted.memberId,
        credentialId: granted.connectionId,
        app: { id: granted.clientId, name: granted.clientName, scopes: scopesOf(claims) },
      };
    },
  };
}

const scopesOf = ({ scope = '' }: AccessClaims): ReadonlySet<Scope> =>
  new Set(scope.split(' ').filter(isScope));

type Verify = () => Promise<AccessClaims | null>;

/** Whether a signature is valid never changes; the token's expiry is checked each time. */
function rememberVerified(): (key: string, verify: Verify) => Promise<AccessClaims | null> {
  const known = new Map<string, AccessClaims>();
  return async (key, verify) => {
    const found = known.get(key);
    if (found) return found.exp * 1_000 > Date.now() ? found : null;
    const claims = await verify();
    if (!claims) return null;
    for (const oldest of known.keys()) {
      if (known.size < REMEMBERED) break;
      known.delete(oldest);
    }
    known.set(key, claims);
    return claims;
  };
}
