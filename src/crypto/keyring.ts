import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 32;
const VERSION = 'v1';
/** Stands in the place of a key that will not come back: `k1:lost`. */
const LOST = 'lost';

/** The place where a secret is stored. A ciphertext moved anywhere else does not decrypt. */
export interface SecretPlace {
  table: string;
  row: string;
  organizationId: string;
  column: string;
}

/**
 * `unknown_key`: the key with that id is not configured (restore it and the secret is readable again); `lost_key`: it is
 * declared lost, so the secret will never be readable; `malformed`: not one of our blobs; `mismatch`: altered, or from
 * another place.
 */
export class DecryptionFailed extends Error {
  readonly reason: 'unknown_key' | 'lost_key' | 'malformed' | 'mismatch';
  constructor(reason: DecryptionFailed['reason']) {
    super(`a stored secret cannot be decrypted: ${reason}`);
    this.reason = reason;
  }
}

/** The keys of `ENCRYPTION_KEYS`, and everything that is done with them. */
export interface Keyring {
  /** Id of the key that encrypts; rows with another id are due for re-encryption. */
  readonly activeKeyId: string;
  /** Ids of all keys that decrypt, the active one first. */
  readonly keyIds: readonly string[];
  /** Ids of the keys that are declared lost. */
  readonly lostKeyIds: readonly string[];
  /** `v1|key_id|nonce|ciphertext|tag`, the last three as base64url. */
  encrypt(plain: string, place: SecretPlace): string;
  /** Throws `DecryptionFailed`. */
  decrypt(blob: string, place: SecretPlace): string;
  /** HMAC-SHA-256 under a key derived for `label` from the first key. */
  hmac(label: string, data: string | Buffer): Buffer;
  /** HMAC-SHA-256 under a key derived for `label` from each key, the first one's first. */
  hmacs(label: string, data: string | Buffer): Buffer[];
  /** Whether it is the HMAC under any of the keys, so that issued values stay valid while keys change. */
  verifies(label: string, data: string | Buffer, mac: Buffer): boolean;
}

function parseKey(entry: string): [id: string, key: Buffer | null] {
  const [, id, text] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry.trim()) ?? [];
  if (id === undefined || text === undefined) {
    throw new Error('an encryption key must look like "id:base64"');
  }
  if (text === LOST) return [id, null];
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(`encryption key "${id}" must be ${KEY_BYTES} bytes, it is ${key.length}`);
  }
  return [id, key];
}

/** The keys by their ids; a lost one is null. */
function parseKeys(spec: string): Map<string, Buffer | null> {
  const entries = spec.split(',').map(parseKey);
  const keys = new Map(entries);
  if (keys.size !== entries.length) throw new Error('two encryption keys have the same id');
  return keys;
}

/** Length-prefixed, so that no two places give the same bytes. */
function bytesOf(place: SecretPlace): Buffer {
  const parts = [place.table, place.row, place.organizationId, place.column];
  return Buffer.from(parts.map((part) => `${part.length}:${part}`).join('|'));
}

/** Accepts only one spelling, so that no changed character goes unnoticed. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new DecryptionFailed('malformed');
  return bytes;
}

function parseBlob(blob: string) {
  const [version, keyId, nonce, ciphertext, tag, ...rest] = blob.split('|');
  const complete = keyId !== undefined && nonce && ciphertext !== undefined && tag;
  if (version !== VERSION || !complete || rest.length > 0) throw new DecryptionFailed('malformed');
  const parsed = {
    keyId,
    nonce: decode(nonce),
    ciphertext: decode(ciphertext),
    tag: decode(tag),
  };
  // A shorter tag would still be checked, but against fewer bits.
  if (parsed.nonce.length !== NONCE_BYTES || parsed.tag.length !== TAG_BYTES) {
    throw new DecryptionFailed('malformed');
  }
  return parsed;
}

function seal(key: Buffer, plain: string, place: SecretPlace): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bytesOf(place));
  const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return [nonce, ciphertext, cipher.getAuthTag()]
    .map((part) => part.toString('base64url'))
    .join('|');
}

function open(keys: Map<string, Buffer | null>, blob: string, place: SecretPlace): string {
  const { keyId, nonce, ciphertext, tag } = parseBlob(blob);
  const key = keys.get(keyId);
  if (!key) throw new DecryptionFailed(key === null ? 'lost_key' : 'unknown_key');
  const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(bytesOf(place)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    throw new DecryptionFailed('mismatch');
  }
}

/**
 * Secrets at rest: AES-256-GCM with a fresh random nonce, bound to their place.
 *
 * @param spec `id:base64,id2:base64,id3:lost`; the first key encrypts, all decrypt. Throws for anything else
 */
export function createKeyring(spec: string): Keyring {
  const entries = parseKeys(spec);
  const keys = new Map([...entries].flatMap(([id, key]) => (key ? [[id, key] as const] : [])));
  const [active] = keys;
  if (!active) throw new Error('at least one encryption key is needed');
  const [activeKeyId, activeKey] = active;
  const derived = new Map<string, KeyObject>();

  // Prepared once: creating a key from raw bytes costs ten times as much as the HMAC itself.
  const keyFor = (id: string, key: Buffer, label: string): KeyObject => {
    const known = derived.get(`${id}|${label}`);
    if (known) return known;
    const made = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', label, KEY_BYTES)));
    derived.set(`${id}|${label}`, made);
    return made;
  };
  const macOf = (id: string, key: Buffer, label: string, data: string | Buffer): Buffer =>
    createHmac('sha256', keyFor(id, key, label))
      .update(data)
      .digest();

  return {
    activeKeyId,
    keyIds: [...keys.keys()],
    lostKeyIds: [...entries.keys()].filter((id) => !keys.has(id)),
    encrypt: (plain, place) => `${VERSION}|${activeKeyId}|${seal(activeKey, plain, place)}`,
    decrypt: (blob, place) => open(entries, blob, place),
    hmac: (label, data) => macOf(activeKeyId, activeKey, label, data),
    hmacs: (label, data) => [...keys].map(([id, key]) => macOf(id, key, label, data)),
    verifies: (label, data, mac) =>
      mac.length === MAC_BYTES &&
      [...keys].some(([id, key]) => timingSafeEqual(macOf(id, key, label, data), mac)),
  };
}
