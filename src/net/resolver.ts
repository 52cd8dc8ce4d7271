import { Resolver as DnsResolver } from 'node:dns/promises';

/** What a name resolved to. `none`: the name has no address. `unavailable`: nobody could tell. */
export type Resolution =
  | { kind: 'found'; addresses: readonly string[] }
  | { kind: 'none' }
  | { kind: 'unavailable'; reason: string };

/** Never rejects and never hangs; gives all addresses of both families. */
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
 * Asks the name servers themselves rather than the C library: the two outcomes that decide
 * between "blocked" and "our resolver is down" look the same through getaddrinfo, which also
 * reads `127.1` and `0x7f000001` as addresses and shares four threads with the whole process.
 *
 * @param options.servers instead of the machine's own, as `host:port`.
 * @param options.timeoutMs bounds one lookup, all tries included.
 */
export function createResolver(options: {
  timeoutMs: number;
  servers?: readonly string[];
}): Resolver {
  return async (hostname) => {
    // A new one each time: it reads the machine's current name servers when it is made.
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
