import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import type { ContextParts } from '../db/contexts.ts';
import type { Mount } from '../http/mount.ts';
import type { Log } from '../log.ts';
import { addressesOf } from './addresses.ts';
import { createInteractions, type Interactions } from './consent/interactions.ts';
import { oauthMounts } from './mount.ts';
import { openCurrentProvider } from './provider/current-provider.ts';
import { type AccessTokens, createAccessTokens } from './tokens/access.ts';

export interface AuthorizationServer {
  /** Everything under `/api/auth`, and the metadata. */
  readonly mounts: readonly Mount[];
  /** For the consent page at `/oauth/authorize/:uid`. */
  readonly interactions: Interactions;
  /** For the entrance of the API and of the agent tools. */
  readonly access: AccessTokens;
  /** Checks for changed signing keys now, instead of within a minute. */
  refreshKeys(): Promise<void>;
  close(): void;
}

export interface AuthorizationServerParts extends ContextParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly baseUrl: string;
  readonly log: Log;
}

/** The OAuth 2.1 authorization server (specification, Authentication). */
export async function openAuthorizationServer(
  parts: AuthorizationServerParts,
): Promise<AuthorizationServer> {
  const addresses = addressesOf(parts.baseUrl);
  const stand = await openCurrentProvider({ ...parts, addresses });
  return {
    mounts: oauthMounts({ ...parts, addresses, stand }),
    interactions: createInteractions({ ...parts, stand }),
    access: createAccessTokens({ ...parts, addresses, stand }),
    refreshKeys: stand.refresh,
    close: stand.close,
  };
}
