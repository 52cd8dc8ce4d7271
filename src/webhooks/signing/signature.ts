import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The HMAC key inside a secret. Decode it once per version of a secret, not per attempt. */
export function decodeSecret(secret: string): KeyObject {
  const key = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return createSecretKey(Buffer.from(key, 'base64'));
}

interface SignedMessage {
  /** The event's id, the same for all attempts. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  /** The exact bytes that are sent. */
  body: Buffer | string;
}

/**
 * The three headers of a delivery (specification, "Delivery" and "Signature verification").
 *
 * @param keys the keys valid now, newest first; each makes one signature
 */
export function signatureHeaders(message: SignedMessage, keys: readonly KeyObject[]) {
  const signed = `${message.id}.${message.timestamp}.`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).update(message.body).digest('base64')}`,
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
