/** What the person pasted. */
export interface Pasted {
  readonly secret: string;
  /** A block of headers, in whatever form a log or a tool wrote it. */
  readonly headers: string;
  readonly body: string;
  /** The signature that the receiver's own program computed, or "". */
  readonly computed: string;
}

export interface DeliveryHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

const NAMES = ['id', 'timestamp', 'signature'] as const;

export interface ReadHeaders {
  /** Null if one of the three is missing. */
  readonly found: DeliveryHeaders | null;
  readonly missing: readonly string[];
  /** Names that resemble a missing one, for example `x-webhook-id`. */
  readonly renamed: readonly string[];
}

/** Reads headers as HTTP, curl, CGI, JSON and the output of five languages write them. */
export function readHeaders(text: string): ReadHeaders {
  const entries = entriesOf(text);
  const valueIn = (name: string): string =>
    entries.find(([each]) => each === `webhook-${name}`)?.[1] ?? '';
  const lost = NAMES.filter((name) => valueIn(name) === '');
  const found = {
    id: valueIn('id'),
    timestamp: valueIn('timestamp'),
    signature: valueIn('signature'),
  };
  return {
    found: lost.length === 0 ? found : null,
    missing: lost.map((name) => `webhook-${name}`),
    renamed: entries
      .map(([name]) => name)
      .filter((name) => /webhook|svix/.test(name) && lost.some((each) => name.endsWith(each)))
      .filter((name) => !name.startsWith('webhook-')),
  };
}

type Entry = readonly [name: string, value: string];

/** CGI, and with it PHP, Rack and Django, writes `HTTP_WEBHOOK_ID`. */
const nameOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^http-/, '');

const LINE = /^[\s<>*|+-]*(?:-H\s+)?["'{[(]*\s*([\w-]+)["']?\s*(?:=>|[:=])\s*["'[]*(.*)$/;

function entriesOf(text: string): Entry[] {
  const json = parsed(text);
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).map(([name, value]) => [
      nameOf(name),
      String(Array.isArray(value) ? value.join(' ') : value).trim(),
    ]);
  return text.split(/\r\n|\r|\n/).flatMap((line): Entry[] => {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    return [[nameOf(name), value.replace(/["'\]}),;\\\s]+$/, '')]];
  });
}

/** The value of a JSON text, or undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PREFIX = 'whsec_';
/** Keys that a program might derive from a secret; the first is the right one, unless it is not base64. */
export interface Key {
  readonly made: 'decoded' | 'the whole text' | 'the text after whsec_';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A secret without anything copied along with it. */
export function secretText(secret: string): { text: string; base64: string } {
  const text = secret.trim().replace(/^["']|["']$/g, '');
  return { text, base64: text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text };
}

/** The ways in which people turn a secret into a key; the right one comes first if it can be decoded. */
export function keysOf(secret: string): Key[] {
  const { text, base64 } = secretText(secret);
  const key = decoded(base64);
  const asText: Key[] = [
    { made: 'the whole text', bytes: new TextEncoder().encode(text) },
    { made: 'the text after whsec_', bytes: new TextEncoder().encode(base64) },
  ];
  return [...(key ? [{ made: 'decoded' as const, bytes: key }] : []), ...asText].filter(
    ({ bytes }) => bytes.length > 0,
  );
}

/** The bytes of a base64 text, or null. */
export function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
