import type {
  AutomationFailedEvent,
  ContactCreatedEvent,
  ConversationClosedEvent,
  MessageReceivedEvent,
  MessageSentEvent,
  StageChangedEvent,
} from './generated/types.gen.ts';

/** What an endpoint receives. A type newer than this client arrives as it is: end a `switch` with `default`. */
export type WebhookEvent =
  | AutomationFailedEvent
  | ContactCreatedEvent
  | ConversationClosedEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | StageChangedEvent;

type WebhookFault = 'headers' | 'timestamp' | 'signature' | 'secret' | 'body';

/** Not a delivery of the service, or not a fresh one: answer 400 and do nothing. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** As `fetch` and Node's `http` hand headers over. */
type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

interface VerifyOptions {
  /** How far the clocks may be apart, in seconds. Default 300. */
  readonly toleranceS?: number;
  /** The receiver's time, in milliseconds. */
  readonly now?: number;
}

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;

/**
 * The event of a delivery, when it is genuine. Call it with the raw bytes of the body, before any parsing.
 * During a rotation pass both secrets.
 *
 * Throws `WebhookRefused`.
 */
export async function verifyWebhook(
  headers: HeaderSource,
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceS = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature').split(' ');
  const age = Math.abs(now / 1_000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceS)
    throw new WebhookRefused(
      'timestamp',
      'The timestamp is not within the tolerance of the clock here.',
    );
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (!(await anyFits(keys, signatures, signed)))
    throw new WebhookRefused(
      'signature',
      'No signature fits: another secret, or not the raw body.',
    );
  return parsed(body);
}

/** Some platforms hand the names over as the sender or a proxy wrote them. */
function header(headers: HeaderSource, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookRefused('headers', `The header ${name} is missing.`);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Only what an encoder writes: `atob` also takes spaces, no padding and stray bits. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = atob(text);
    if (btoa(bytes) !== text) return null;
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function keyOf(secret: string): Promise<Key> {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null;
  if (!bytes || bytes.length < MIN_KEY_BYTES)
    throw new WebhookRefused('secret', 'A secret is whsec_ and the base64 of its key.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

/** WebCrypto compares in constant time. */
async function anyFits(
  keys: readonly Key[],
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const signature of signatures) {
    const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
    if (!bytes) continue;
    for (const key of keys) {
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return true;
    }
  }
  return false;
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookRefused('body', 'The body is not JSON.');
  }
}
