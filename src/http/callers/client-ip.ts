import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type ClientIp = (req: IncomingMessage) => string | null;

/**
 * The caller's address: the socket's, or, behind configured proxies, the last address in X-Forwarded-For that none of
 * them wrote.
 *
 * @param trusted addresses and networks, `10.0.0.0/8`
 */
export function clientIpBehind(trusted: readonly string[]): ClientIp {
  const proxies = new BlockList();
  for (const entry of trusted) addTo(proxies, entry);
  const isProxy = (ip: string): boolean => proxies.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    const direct = plain(socket.remoteAddress);
    const forwarded = headers['x-forwarded-for'];
    if (direct === null || typeof forwarded !== 'string' || !isProxy(direct)) return direct;
    const chain = forwarded.split(',').map((part) => plain(part.trim()));
    const caller = chain.findLast((ip) => ip === null || !isProxy(ip));
    return caller ?? direct;
  };
}

function addTo(list: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  if (version === 0) throw new TypeError(`${entry} is neither an address nor a network`);
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

/** Without the IPv6 wrapping that a dual-stack socket gives to IPv4; null if it is no address. */
function plain(address: string | undefined): string | null {
  const bare = address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
  return isIP(bare) ? bare : null;
}

/** Someone with one IPv6 address has the other 2^64 of its network too. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const start = head.split(':').filter(Boolean);
  const end = tail.split(':').filter(Boolean);
  const missing = ip.includes('::') ? 8 - start.length - end.length : 0;
  const groups = [...start, ...Array<string>(Math.max(0, missing)).fill('0'), ...end];
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
