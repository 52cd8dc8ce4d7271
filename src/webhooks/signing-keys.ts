import type { Keyring } from '../crypto/keyring.ts';
import { decodeSecret } from './signing.ts';

/** What a claim brings along about an endpoint: enough to send to it. */
export interface EndpointSecrets {
  readonly organizationId: string;
  readonly endpointId: string;
  /** Encrypted. */
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousValidUntil: Date | null;
  readonly secretVersion: number;
}

interface Known {
  readonly version: number;
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

export interface SigningKeys {
  /** The keys valid at `now`, newest first. Throws `DecryptionFailed`. */
  keysFor(endpoint: EndpointSecrets, now: Date): readonly Buffer[];
}

const REMEMBERED = 10_000;

export const SECRETS_TABLE = 'webhook_endpoints';

/** Decrypts each version of a secret once. */
export function createSigningKeys(keyring: Keyring): SigningKeys {
  const known = new Map<string, Known>();

  function open(endpoint: EndpointSecrets): Known {
    const found = known.get(endpoint.endpointId);
    if (found?.version === endpoint.secretVersion) return found;
    const decrypt = (blob: string, column: string): Buffer =>
      decodeSecret(
        keyring.decrypt(blob, {
          table: SECRETS_TABLE,
          row: endpoint.endpointId,
          organizationId: endpoint.organizationId,
          column,
        }),
      );
    const opened = {
      version: endpoint.secretVersion,
      current: decrypt(endpoint.secret, 'secret'),
      previous: endpoint.previousSecret
        ? decrypt(endpoint.previousSecret, 'previous_secret')
        : null,
    };
    if (known.size >= REMEMBERED) known.clear();
    known.set(endpoint.endpointId, opened);
    return opened;
  }

  return {
    keysFor(endpoint, now) {
      const { current, previous } = open(endpoint);
      const until = endpoint.previousValidUntil;
      return previous && until && until > now ? [current, previous] : [current];
    },
  };
}
