import { parsed } from './pasted.ts';

/** A variant of a body, as it may have been before or after something rewrote it. */
export interface Body {
  /** How it differs from the pasted one, to be put after "the body"; null for the pasted one itself. */
  readonly changed: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ORDER = ['id', 'type', 'version', 'timestamp', 'organization_id', 'data'];

/** The pasted body first, then what frameworks and editors turn it into, without duplicates. */
export function bodiesOf(text: string): Body[] {
  const written: [string | null, string][] = [
    [null, text],
    ['without the spaces and line breaks around it', text.trim()],
    ['with a line break at its end', `${text}\n`],
    ['with the line breaks of Windows (CRLF)', text.replace(/\r?\n/g, '\r\n')],
    ['with plain line breaks (LF)', text.replaceAll('\r\n', '\n')],
    ...rewritten(parsed(text)),
  ];
  const bodies = written
    .filter(([, each], i) => written.findIndex(([, other]) => other === each) === i)
    .map(([changed, each]) => ({ changed, bytes: new TextEncoder().encode(each) }));
  return [...bodies, ...misread(text)];
}

function rewritten(value: unknown): [string, string][] {
  if (typeof value === 'string') return [['without the quotes and escapes around it', value]];
  if (typeof value !== 'object' || value === null) return [];
  const compact = JSON.stringify(value);
  return [
    ['written without spaces and needless escapes, as we write it', compact],
    ['with its keys in our order', JSON.stringify(inOurOrder(value))],
    ['written with spaces between its parts', spaced(value)],
    ['written with spaces, and letters as \\u escapes (Python)', ascii(spaced(value))],
    ['written with letters as \\u escapes', ascii(compact)],
    ['written with \\/ and \\u escapes (PHP)', ascii(compact.replaceAll('/', '\\/'))],
    ['written with \\/ for each slash', compact.replaceAll('/', '\\/')],
    ['written with its keys in alphabetical order', JSON.stringify(sorted(value))],
    ['written over several lines', JSON.stringify(value, null, 2)],
  ];
}

/** UTF-8 misread as Latin-1 shows `Ã©` for `é`. */
function misread(text: string): Body[] {
  const codes = [...text].map((character) => character.charCodeAt(0));
  if (codes.every((code) => code < 0x80) || codes.some((code) => code > 0xff)) return [];
  return [{ changed: 'read as UTF-8 rather than Latin-1', bytes: Uint8Array.from(codes) }];
}

const inOurOrder = (value: object): object => {
  const entries = Object.entries(value);
  const place = (key: string): number => (ORDER.indexOf(key) + ORDER.length) % ORDER.length;
  return Object.fromEntries(entries.toSorted(([a], [b]) => place(a) - place(b)));
};

/** Line breaks within strings are escaped, so these ones are between the parts. */
const spaced = (value: object): string =>
  JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');

const ascii = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** What a body alone reveals. Ours are one line of JSON without spaces, with the keys in a fixed order. */
export type Look = 'as sent' | 'no JSON' | 'no event' | 'written again';

/** Whether a pasted body is as we sent it, or was parsed and serialised again on its way. */
export function lookOf(text: string): Look {
  const value = parsed(text);
  if (value === undefined) return 'no JSON';
  if (typeof value !== 'object' || value === null || !ORDER.every((key) => key in value))
    return typeof value === 'string' ? 'written again' : 'no event';
  const ours = Object.keys(value).every((key, i) => key === ORDER[i]);
  return ours && JSON.stringify(value) === text ? 'as sent' : 'written again';
}

/** The event's `id` in a body, or null. */
export function eventIdOf(text: string): string | null {
  const value = parsed(text);
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' ? id : null;
}
