import { describe, expect, it } from '@jest/globals';
import { canonicalAddress, isPublicAddress } from '../../src/net/addresses.ts';

const refused = [
  ...['0.0.0.0', '0.1.2.3', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1'],
  ...['127.255.255.254', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8'],
  ...['192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '::', '::1'],
  ...['::127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:0:10.0.0.1'],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '100::1', '2001::1', '2001:2::1', '2001:20::1'],
  ...['2001:1ff:ffff::1', '2001:db8::1', '2002:a9fe:a9fe::1', '3fff::1', '5f00::1', 'fc00::1'],
  ...['fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '4000::1', '1fff::1'],
];

const allowed = [
  ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700::1111'],
  ...['2a00:1450::1', '2001:200::1', '::ffff:8.8.8.8', '8.8.8.8'],
];

const unreadable = [
  ...['', '127.1', '0x7f000001', '017700000001', '2130706433', 'example.com', '8.8.8.8 '],
  ...['fe80::1%lo', '2606:4700::1111%eth0', '[::1]', '1.2.3.4.5', '8.8.8.8/32'],
];

describe('the addresses a customer may send us to', () => {
  it.each(refused)('never include %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(allowed)('include %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(unreadable)('never include what is not exactly one address: %j', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

describe('the canonical address', () => {
  it('is the same for every spelling of one address', () => {
    expect(canonicalAddress('::ffff:8.8.8.8')).toBe('8.8.8.8');
    expect(canonicalAddress('2606:4700:0:0:0:0:0:1111')).toBe('2606:4700::1111');
    expect(canonicalAddress('127.1')).toBeNull();
  });
});
