import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientIpBehind } from '../../src/http/callers/client-ip.ts';

const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address of a caller', () => {
  it('is the socket’s, whatever a header says, when no proxy is trusted', () => {
    const clientIp = clientIpBehind([]);

    expect(clientIp(from('203.0.113.9', '1.2.3.4'))).toBe('203.0.113.9');
    expect(clientIp(from('::ffff:203.0.113.9'))).toBe('203.0.113.9');
    expect(clientIp(from('2001:db8::1', '1.2.3.4'))).toBe('2001:db8::1');
  });

  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['6.6.6.6, 1.2.3.4, 10.9.9.9', '1.2.3.4'],
    ['2001:db8::7', '2001:db8::7'],
    ['10.1.1.1', '10.0.0.1'],
    ['nonsense', '10.0.0.1'],
    ['6.6.6.6, nonsense', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('behind a trusted proxy, given %p, is %s: the last that no proxy wrote', (forwarded, ip) => {
    expect(clientIpBehind(['10.0.0.0/8'])(from('10.0.0.1', forwarded))).toBe(ip);
  });

  it('trusts nobody but the named networks', () => {
    const clientIp = clientIpBehind(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);

    expect(clientIp(from('11.0.0.1', '1.2.3.4'))).toBe('11.0.0.1');
    expect(clientIp(from('2001:db8::5', '1.2.3.4'))).toBe('1.2.3.4');
    expect(clientIp(from('192.0.2.1', '1.2.3.4'))).toBe('1.2.3.4');
    expect(() => clientIpBehind(['proxy.local'])).toThrow('proxy.local');
  });
});
