import { Resolver as DnsResolver } from 'node:dns/promises';

/** The result of resolving a name. `none`: the name has no address. `unavailable`: no answer could be had. */
export type Resolution =
  | { kind: 'found'; addresses: readonly string[] }
  | { kind: 'none' }
  | { kind: 'unavailable'; reason: string };

/** Never rejects and never hangs. Returns all addresses of both families. */
export type Resolver = (hostname: string) => Promise<Resolution>;

/** Answers that say for certain that there is no such address. */
const certain = new Set(['ENOTFOUND', 'ENODATA']);

interface Answer {
  addresses: readonly string[];
  failure: string | null;
}

async function query(ask: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: await ask, failure: null };
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    return { addresses: [], failure: certain.has(code) ? null : code };
  }
}

/**
 * Asks the name servers directly rather than through the C library: getaddrinfo does not distinguish a name without
 * addresses ("blocked") from a resolver that is down, accepts `127.1` and `0x7f000001` as addresses, and shares four
 * threads with the whole process.
 *
 * @param options.servers instead of the machine's own, as `host:port`
 * @param options.timeoutMs limits one lookup, including all tries
 */
export function createResolver(options: {
  timeoutMs: number;
  servers?: readonly string[];
}): Resolver {
  return async (hostname) => {
    // A new one each time, because it reads the machine's name servers when it is created.
    const dns = new DnsResolver({ timeout: Math.ceil(options.timeoutMs / 3), tries: 2 });
    if (options.servers) dns.setServers(options.servers);
    const timer = setTimeout(() => dns.cancel(), options.timeoutMs);
    const [v4, v6] = await Promise.all([
      query(dns.resolve4(hostname)),
      query(dns.resolve6(hostname)),
    ]);
    clearTimeout(timer);

    const addresses = [...v4.addresses, ...v6.addresses];
    if (addresses.length > 0) return { kind: 'found', addresses };
    const failure = v4.failure ?? v6.failure;
    return failure === null ? { kind: 'none' } : { kind: 'unavailable', reason: failure };
  };
}
