import { isIP } from 'node:net';
import { isPublicAddress, translatedAddress } from './addresses.ts';
import type { Resolver } from './resolver.ts';

type RefusalReason =
  | 'private_address'
  | 'dns'
  | 'infrastructure'
  | 'connection'
  | 'timeout'
  | 'tls';

/** A connection that was not made, and who is at fault. */
export class ConnectionRefusal extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const MAX_ADDRESSES = 16;
const HEALTH_MEMORY_MS = 5_000;

/**
 * A name server of ours that is a DNS64 adds to a name's IPv4 addresses what its network translates to them. That is ours,
 * and nobody's rebinding; and nothing is ever sent there.
 */
const withoutTranslations = (addresses: readonly string[]): readonly string[] =>
  addresses.filter((address) => !addresses.includes(translatedAddress(address) ?? ''));

export type Vet = (hostname: string) => Promise<readonly string[]>;

/**
 * Whether our resolver worked when a lookup that began `since` failed. Asked only after a failure, and remembered for a few
 * seconds; but that it worked before the lookup says nothing about it.
 */
function resolverHealth(resolve: Resolver, controlNames: readonly string[]) {
  let asked: { at: number; healthy: Promise<boolean> } | undefined;
  const ask = (at: number): Promise<boolean> => {
    const healthy = Promise.all(controlNames.map((name) => resolve(name))).then((answers) =>
      answers.some((answer) => answer.kind === 'found' && answer.addresses.length > 0),
    );
    asked = { at, healthy };
    return healthy;
  };
  return async (since: number): Promise<boolean> => {
    const now = performance.now();
    if (!asked || now - asked.at > HEALTH_MEMORY_MS) return ask(now);
    const { at, healthy } = asked;
    return at < since && (await healthy) ? ask(performance.now()) : healthy;
  };
}

/**
 * Returns the addresses that a host name may be connected to, at most 16. Throws a `ConnectionRefusal`:
 * `private_address` if any address is not public (one bad address among good ones is what a rebinding attack looks
 * like), `dns` if the name has none or its servers fail while ours work, `infrastructure` if our own resolver fails.
 */
export function createVetting(options: {
  resolve: Resolver;
  controlNames: readonly string[];
  isPublic?: (address: string) => boolean;
}): Vet {
  const isPublic = options.isPublic ?? isPublicAddress;
  const isHealthy = resolverHealth(options.resolve, options.controlNames);

  async function addressesOf(hostname: string): Promise<readonly string[]> {
    // An address literal is never looked up, so it is checked here like an answer.
    if (isIP(hostname) !== 0) return [hostname];
    const since = performance.now();
    const answer = await options.resolve(hostname);
    if (answer.kind === 'found') return withoutTranslations(answer.addresses);
    if (answer.kind === 'unavailable' && !(await isHealthy(since))) {
      throw new ConnectionRefusal('infrastructure', `the DNS resolver fails: ${answer.reason}`);
    }
    return [];
  }

  return async (hostname) => {
    const addresses = await addressesOf(hostname);
    if (addresses.length === 0) throw new ConnectionRefusal('dns', 'the name has no address');
    if (!addresses.every(isPublic)) {
      throw new ConnectionRefusal('private_address', 'the name has an address that is not public');
    }
    return addresses.slice(0, MAX_ADDRESSES);
  };
}
