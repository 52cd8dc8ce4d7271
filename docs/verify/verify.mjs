import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 5 * 60;

/**
 * Throws an Error that says why, unless the delivery is genuine and fresh.
 *
 * @param secrets one secret (`whsec_…`), or an array of those that are valid during a rotation
 * @param headers Node's `request.headers`, or the `Headers` of a fetch request
 * @param body the bytes as they arrived, before any parsing
 * @param now Unix seconds
 */
export function verify(secrets, headers, body, now = Date.now() / 1000) {
  const keys = [secrets].flat().map(keyOf);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new Error('webhook-timestamp is not in Unix seconds.');
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_S)
    throw new Error('webhook-timestamp is more than 5 minutes from the clock here.');
  if (!(typeof body === 'string' || body instanceof Uint8Array))
    throw new Error('The body must be the raw bytes, not a parsed one.');
  const expected = keys.map((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  if (!signatures.some((given) => expected.some((one) => same(given, one))))
    throw new Error('No signature matches: another secret, or not the raw body.');
}

function keyOf(secret) {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length < 24) throw new Error('A secret is whsec_ and the base64 of its key.');
  return key;
}

function headerOf(headers, name) {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (!value) throw new Error(`The header ${name} is missing.`);
  return value;
}

/** In constant time. */
function same(a, b) {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}
