import { AppError } from '../../errors.ts';

const MAX_DEPTH = 32;
/** Keys of objects and entries of lists. Within a megabyte there is room for 500,000, which take a tenth of a second. */
const MAX_ENTRIES = 10_000;

const badRequest = (message: string, path?: string): AppError =>
  new AppError('bad_request', message, path ? { path } : undefined);

/** Parses strict UTF-8 JSON with an object at the top, and nothing that a text column could not store. */
export function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parse(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The body must be a JSON object.');
  inspect(value, '', 1, { entries: 0 });
  return value as Record<string, unknown>;
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw badRequest('The body begins with a byte order mark. Send plain UTF-8.');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

/** `fields[2].options`, the notation for places in every error. */
export const joinPath = (base: string, key: PropertyKey): string => {
  if (typeof key === 'number') return `${base}[${key}]`;
  return base ? `${base}.${String(key)}` : String(key);
};

/** Depth is limited before anything else walks the value, because a fingerprint would overflow the stack. */
function inspect(value: unknown, path: string, depth: number, seen: { entries: number }): void {
  if (typeof value === 'string') inspectText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw badRequest('A number is too large.', path);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw badRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, item] of entries) {
    seen.entries += 1;
    if (seen.entries > MAX_ENTRIES)
      throw badRequest(`The body has more than ${MAX_ENTRIES} keys and entries of lists.`);
    if (typeof key === 'string') inspectText(key, path);
    inspect(item, joinPath(path, key), depth + 1, seen);
  }
}

/** Refuses what a text column cannot store. */
export function inspectText(text: string, path: string): void {
  if (text.includes('\0')) throw badRequest('A text contains a NUL character.', path);
  if (!text.isWellFormed()) throw badRequest('A text contains half a character.', path);
}

/** The same text for the same value, whatever the order of its keys; the input of fingerprints. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
