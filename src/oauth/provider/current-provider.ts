import type { Provider } from 'oidc-provider';
import type { Wake } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/database.ts';
import type { Log } from '../../log.ts';
import type { Addresses } from '../addresses.ts';
import { type KeySet, openKeySet, readKeySet } from '../tokens/signing-keys.ts';
import { useMiddleware } from './middleware.ts';
import { createProvider } from './provider.ts';

/** The library with the current keys. It takes keys only when it is built, so it is rebuilt when they change. */
export interface CurrentProvider {
  current(): { readonly keys: KeySet; readonly provider: Provider };
  /** Checks for changed keys. */
  refresh(): Promise<void>;
  close(): void;
}

export interface CurrentProviderParts {
  readonly database: Pick<Database, 'system'>;
  readonly keyring: Keyring;
  readonly addresses: Addresses;
  readonly wake: Wake;
  readonly log: Log;
}

/** A key is published an hour before it signs, so checking every minute is soon enough. */
const LOOK_EVERY_MS = 60_000;

/** Makes keys at the first start. Throws a `ConfigError` if `ENCRYPTION_KEYS` cannot open the signing key. */
export async function openCurrentProvider(parts: CurrentProviderParts): Promise<CurrentProvider> {
  const { keyring, addresses, log } = parts;
  // The first one signs, all verify, so that a new encryption key interrupts nobody.
  const cookieKeys = keyring
    .hmacs('oauth-cookies', addresses.issuer)
    .map((key) => key.toString('base64url'));
  const build = (keys: KeySet): { keys: KeySet; provider: Provider } => {
    const provider = createProvider({ addresses, keys, cookieKeys, log });
    useMiddleware(provider, parts);
    return { keys, provider };
  };
  let current = build(await openKeySet(parts));
  const refresh = async (): Promise<void> => {
    const keys = await readKeySet(parts);
    if (!keys) log.error({}, 'the signing keys cannot be read');
    else if (keys.version !== current.keys.version) current = build(keys);
  };
  const timer = setInterval(() => {
    refresh().catch((err: unknown) => log.warn({ err }, 'the signing keys cannot be looked for'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return { current: () => current, refresh, close: () => clearInterval(timer) };
}
