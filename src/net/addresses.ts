import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** One spelling for each address: IPv4-mapped IPv6 becomes IPv4. Null for what is no address. */
export function canonicalAddress(text: string): string | null {
  // isIP first: the parser below also reads "127.1" and "0x7f000001", which no resolver answers.
  return isIP(text) === 0 ? null : ipaddr.process(text).toString();
}

/**
 * May a request that a customer chose go to this address?
 *
 * Only public unicast: for IPv6 that lies inside 2000::/3, so `::127.0.0.1`, NAT64 and every
 * range that is not assigned yet are refused without being named. Anything unreadable, and
 * any address with a zone, is refused too.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}
