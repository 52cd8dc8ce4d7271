import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const wellKnownPrefix: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** One spelling for each address: IPv4-mapped IPv6 becomes IPv4. Null if it is no address. */
export function canonicalAddress(text: string): string | null {
  // isIP comes first: the parser below also accepts "127.1" and "0x7f000001", which no resolver returns.
  return isIP(text) === 0 ? null : ipaddr.process(text).toString();
}

/**
 * Whether a request chosen by a customer may go to this address. Only public unicast: for IPv6 that is inside
 * 2000::/3, so `::127.0.0.1`, NAT64 and all unassigned ranges are refused without being listed. Anything unreadable,
 * and any address with a zone, is refused too.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

/** The IPv4 address of which this one is the translation that a DNS64 makes (RFC 6052), or null. */
export function translatedAddress(text: string): string | null {
  if (isIP(text) !== 6) return null;
  const address = ipaddr.parse(text);
  return address.match(wellKnownPrefix) ? address.toByteArray().slice(12).join('.') : null;
}
