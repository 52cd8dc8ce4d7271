import type { KeyObject } from 'node:crypto';
import type { Keyring, SecretPlace } from '../../crypto/keyring.ts';
import { decodeSecret } from './signature.ts';

/** What a claim returns about an endpoint: enough to send to it. */
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
  readonly current: KeyObject;
  readonly previous: KeyObject | null;
}

export interface SigningKeys {
  /** The keys valid at `now`, newest first. Throws `DecryptionFailed`. */
  keysFor(endpoint: EndpointSecrets, now: Date): readonly KeyObject[];
}

const signsAt = ({ previousValidUntil: until }: EndpointSecrets, now: Date): boolean =>
  until !== null && until > now;

const REMEMBERED = 10_000;

/** The place that an endpoint's secret is bound to: a ciphertext elsewhere does not decrypt. */
export const secretPlace = (
  { organizationId, endpointId }: Pick<EndpointSecrets, 'organizationId' | 'endpointId'>,
  column: 'secret' | 'previous_secret' = 'secret',
): SecretPlace => ({ table: 'webhook_endpoints', row: endpointId, organizationId, column });

/** Decrypts each version of a secret once. */
export function createSigningKeys(keyring: Keyring): SigningKeys {
  const known = new Map<string, Known>();

  function open(endpoint: EndpointSecrets, now: Date): Known {
    const found = known.get(endpoint.endpointId);
    if (found?.version === endpoint.secretVersion) return found;
    const decrypt = (blob: string, column: 'secret' | 'previous_secret'): KeyObject =>
      decodeSecret(keyring.decrypt(blob, secretPlace(endpoint, column)));
    const opened = {
      version: endpoint.secretVersion,
      current: decrypt(endpoint.secret, 'secret'),
      // A secret that no longer signs is not read: its key may be gone.
      previous:
        endpoint.previousSecret && signsAt(endpoint, now)
          ? decrypt(endpoint.previousSecret, 'previous_secret')
          : null,
    };
    if (known.size >= REMEMBERED) known.clear();
    known.set(endpoint.endpointId, opened);
    return opened;
  }

  return {
    keysFor(endpoint, now) {
      const { current, previous } = open(endpoint, now);
      return previous && signsAt(endpoint, now) ? [current, previous] : [current];
    },
  };
}
