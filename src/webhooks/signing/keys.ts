import type { KeyObject } from 'node:crypto';
import { DecryptionFailed, type Keyring, type SecretPlace } from '../../crypto/keyring.ts';
import { unavailable } from '../../errors.ts';
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

/**
 * A stored secret as its owner knows it; null if nothing opens it any more, because it is damaged or its key is lost:
 * a new one is then how the endpoint is repaired. Throws 503 where the key may come back.
 */
export function openSecret(keyring: Keyring, blob: string, place: SecretPlace): string | null {
  try {
    return keyring.decrypt(blob, place);
  } catch (error) {
    if (!(error instanceof DecryptionFailed)) throw error;
    // The key comes back with the configuration, and receivers still rely on this secret.
    if (error.reason === 'unknown_key') throw unavailable('The present secret cannot be read.');
    return null;
  }
}

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
