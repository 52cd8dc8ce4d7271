import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const HEADER = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of exactly these bytes with the app's secret. The older `sha1=`
 * header is not accepted, nor is a signature over the same JSON written differently. With an empty secret anybody could
 * sign, so nothing is signed with one.
 */
export function isSigned(raw: Uint8Array, header: string | undefined, appSecret: string): boolean {
  const given = HEADER.exec(header ?? '')?.[1];
  if (!given || appSecret === '') return false;
  const expected = createHmac('sha256', appSecret).update(raw).digest();
  return timingSafeEqual(Buffer.from(given, 'hex'), expected);
}

/** Compares secrets of any length in constant time. An empty one is nobody's. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}
