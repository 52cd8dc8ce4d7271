import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKeyring, DecryptionFailed, type SecretPlace } from '../../src/crypto/keyring.ts';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const place: SecretPlace = {
  table: 'webhook_endpoints',
  row: 'wh_1',
  organizationId: 'org_1',
  column: 'secret',
};

function failureOf(decrypt: () => string): string {
  try {
    return `decrypted: ${decrypt()}`;
  } catch (error) {
    if (error instanceof DecryptionFailed) return error.reason;
    throw error;
  }
}

function flipBit(part: string): string {
  const bytes = Buffer.from(part, 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

describe('a secret at rest', () => {
  it('comes back as it went in, in a blob that names its key', () => {
    const keyring = createKeyring(key('k1'));

    const blob = keyring.encrypt('whsec_Olá 👋', place);

    expect(blob).toMatch(/^v1\|k1\|[\w-]{16}\|[\w-]+\|[\w-]{22}$/);
    expect(blob).not.toContain('whsec_');
    expect(keyring.decrypt(blob, place)).toBe('whsec_Olá 👋');
    expect(keyring.decrypt(keyring.encrypt('', place), place)).toBe('');
  });

  it.each<[string, Partial<SecretPlace>]>([
    ['row', { row: 'wh_2' }],
    ['workspace', { organizationId: 'org_2' }],
    ['table', { table: 'apps' }],
    ['column', { column: 'previous_secret' }],
    ['split of the same text', { table: 'webhook_endpoints|', row: 'wh_1'.slice(1) }],
  ])('does not decrypt in another %s', (_what, change) => {
    const keyring = createKeyring(key('k1'));

    const blob = keyring.encrypt('whsec_x', place);

    expect(failureOf(() => keyring.decrypt(blob, { ...place, ...change }))).toBe('mismatch');
  });

  it('does not decrypt with one bit changed in any part', () => {
    const keyring = createKeyring(key('k1'));
    const parts = keyring.encrypt('whsec_x', place).split('|');

    for (const at of [2, 3, 4]) {
      const changed = parts.with(at, flipBit(parts[at] ?? '')).join('|');
      expect(failureOf(() => keyring.decrypt(changed, place))).toBe('mismatch');
    }
  });

  it('does not decrypt when any number of characters is cut off', () => {
    const keyring = createKeyring(key('k1'));
    const blob = keyring.encrypt('whsec_x', place);

    for (let length = 0; length < blob.length; length += 1) {
      const failure = failureOf(() => keyring.decrypt(blob.slice(0, length), place));
      expect(['malformed', 'mismatch', 'unknown_key']).toContain(failure);
    }
    expect(failureOf(() => keyring.decrypt(`${blob}|`, place))).toBe('malformed');
    expect(failureOf(() => keyring.decrypt(blob.replace('v1', 'v2'), place))).toBe('malformed');
  });

  it('says so when its key is not configured, and is readable again once it is', () => {
    const first = key('k1');
    const second = key('k2');
    const blob = createKeyring(first).encrypt('whsec_x', place);

    expect(failureOf(() => createKeyring(second).decrypt(blob, place))).toBe('unknown_key');
    expect(createKeyring(`${second},${first}`).decrypt(blob, place)).toBe('whsec_x');
  });

  it('says so when its key is declared lost', () => {
    const first = key('k1');
    const second = key('k2');
    const blob = createKeyring(first).encrypt('whsec_x', place);
    const keyring = createKeyring(`${second},k1:lost`);

    expect(failureOf(() => keyring.decrypt(blob, place))).toBe('lost_key');
    expect([keyring.keyIds, keyring.lostKeyIds]).toEqual([['k2'], ['k1']]);
  });

  it('does not decrypt with another key under the same id', () => {
    const blob = createKeyring(key('k1')).encrypt('whsec_x', place);

    expect(failureOf(() => createKeyring(key('k1')).decrypt(blob, place))).toBe('mismatch');
  });

  it('is encrypted with the first key of the ring', () => {
    const first = key('k1');
    const second = key('k2');

    const keyring = createKeyring(`${second}, ${first}`);

    expect(keyring.activeKeyId).toBe('k2');
    expect(keyring.encrypt('x', place)).toMatch(/^v1\|k2\|/);
  });

  it('never uses a nonce twice in 100,000 encryptions', () => {
    const keyring = createKeyring(key('k1'));

    const nonces = new Set<string | undefined>();
    for (let i = 0; i < 100_000; i += 1) nonces.add(keyring.encrypt('x', place).split('|')[2]);

    expect(nonces.size).toBe(100_000);
  });
});

describe('the list of keys', () => {
  it.each([
    ['', 'must look like'],
    ['k1', 'must look like'],
    [':AAAA', 'must look like'],
    [`k1:${randomBytes(16).toString('base64')}`, 'encryption key "k1" must be 32 bytes, it is 16'],
    [`k1:${randomBytes(33).toString('base64')}`, 'it is 33'],
    [`${key('k1')},${key('k1')}`, 'two encryption keys have the same id'],
    [`${key('k1')},k1:lost`, 'two encryption keys have the same id'],
    ['k1:lost', 'at least one encryption key is needed'],
    [`${key('k1')},`, 'must look like'],
    [`k|1:${randomBytes(32).toString('base64')}`, 'must look like'],
  ])('is refused with a sentence when it is wrong (%#)', (spec, sentence) => {
    expect(() => createKeyring(spec)).toThrow(sentence);
  });

  it('never appears in the message that refuses it', () => {
    const material = randomBytes(31).toString('base64');

    let message = '';
    try {
      createKeyring(`k1:${material}`);
    } catch (error) {
      message = String(error);
    }

    expect(message).toContain('must be 32 bytes');
    expect(message).not.toContain(material);
  });
});

describe('a derived MAC', () => {
  it('differs by label, by data and by key, and is stable otherwise', () => {
    const spec = key('k1');
    const mac = createKeyring(spec).hmac('cursor', 'a');

    expect(mac).toHaveLength(32);
    expect(createKeyring(spec).hmac('cursor', Buffer.from('a'))).toEqual(mac);
    expect(createKeyring(spec).hmac('other', 'a')).not.toEqual(mac);
    expect(createKeyring(spec).hmac('cursor', 'b')).not.toEqual(mac);
    expect(createKeyring(key('k1')).hmac('cursor', 'a')).not.toEqual(mac);
  });
});
