import { type Body, bodiesOf } from './bodies.ts';
import { type DeliveryHeaders, decoded, type Key, keysOf, type Pasted } from './pasted.ts';

/** One way of computing a signature. */
export interface Way {
  readonly key: Key['made'];
  readonly changed: Body['changed'];
  /** What was signed: the complete content, or with a part left out. */
  readonly content: string;
  /** The `webhook-id` that was signed. */
  readonly id: string;
}

export const WHOLE = '{webhook-id}.{webhook-timestamp}.{body}';

type Content = readonly [name: string, before: string];
const wholeOf = (headers: DeliveryHeaders): Content => [
  WHOLE,
  `${headers.id}.${headers.timestamp}.`,
];

/** The ways of computing a signature, the right one first: HMAC-SHA256 in base64. */
async function* waysOf(pasted: Pasted, id: string, contents: readonly Content[]) {
  for (const key of keysOf(pasted.secret)) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const hmac = await crypto.subtle.importKey('raw', key.bytes, algorithm, false, ['sign']);
    for (const body of bodiesOf(pasted.body))
      for (const [content, before] of contents) {
        const start = new TextEncoder().encode(before);
        const signed = new Uint8Array([...start, ...body.bytes]);
        const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, signed));
        const way: Way = { key: key.made, changed: body.changed, content, id };
        yield { way, signature: btoa(String.fromCharCode(...bytes)) };
      }
  }
}

/** One of the signatures in the header. */
export interface Listed {
  readonly base64: string;
  /** Whether `v1,` precedes it. */
  readonly labelled: boolean;
}

/** Entries of the header that can be signatures: 32 bytes each. */
export const listedIn = (header: string): Listed[] =>
  header
    .split(/\s+/)
    .map((part) => ({ base64: part.replace(/^v1[,=:]?/, ''), labelled: part.startsWith('v1,') }))
    .filter(({ base64 }) => decoded(base64)?.length === 32);

export interface Fit {
  readonly way: Way;
  /** Which of the header's signatures it is, from 0. */
  readonly index: number;
  readonly labelled: boolean;
}

/**
 * How the delivery was signed, or null if nothing fits. The `id` in the body is tried too: if only the id header was
 * mixed up, that fits, whereas headers and body of two different deliveries do not.
 */
export async function howSigned(
  pasted: Pasted,
  headers: DeliveryHeaders,
  bodyId: string | null,
): Promise<Fit | null> {
  const listed = listedIn(headers.signature);
  const ids = bodyId === null || bodyId === headers.id ? [headers.id] : [headers.id, bodyId];
  for (const id of ids)
    for await (const { way, signature } of waysOf(pasted, id, [wholeOf({ ...headers, id })])) {
      const index = listed.findIndex(({ base64 }) => base64 === signature);
      const { labelled = false } = listed[index] ?? {};
      if (index >= 0) return { way, index, labelled };
    }
  return null;
}

/** How the receiver's program arrived at its signature, or null if nothing fits. */
export async function howComputed(pasted: Pasted, headers: DeliveryHeaders): Promise<Way | null> {
  const contents: Content[] = [
    wholeOf(headers),
    ['{webhook-timestamp}.{body}', `${headers.timestamp}.`],
    ['{webhook-id}.{body}', `${headers.id}.`],
    ['{body}', ''],
  ];
  const wanted = base64Of(pasted.computed);
  for await (const { way, signature } of waysOf(pasted, headers.id, contents))
    if (signature === wanted) return way;
  return null;
}

/** 64 hexadecimal digits: a signature in the wrong encoding. */
export const isHex = (computed: string): boolean => /^[0-9a-f]{64}$/i.test(computed.trim());

/** Programs print it in base64, URL-safe base64, or hexadecimal. */
function base64Of(computed: string): string {
  const text = computed.trim().replace(/^v1,/, '');
  if (!isHex(text)) return `${text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')}=`;
  const codes = text.match(/../g) ?? [];
  return btoa(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))));
}
