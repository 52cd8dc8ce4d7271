import type { Custom } from '../../contacts/fields.ts';
import { validation } from '../../errors.ts';
import { field, type Page } from '../page.ts';

type Sent = Pick<Page, 'sent'>;
type Value = Custom[string];

/** A field for each line, `city: Recife`; a value of several lines goes on in lines that begin with blanks. */
export const customText = (custom: Readonly<Record<string, unknown>>): string =>
  Object.entries(custom)
    .map(([key, value]) => `${key}: ${textOf(value).replaceAll(/\r?\n/g, `\n${INDENT}`)}`)
    .join('\n');

const INDENT = '  ';

/** As it is shown and written. */
export const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/**
 * The custom fields that were written, changed and taken out (null) in the form; undefined if none were. Throws 422 for
 * a line that names no field.
 *
 * @param stored as they are now, maybe not as the page showed them
 */
export function customPatch(page: Sent, stored: Custom = {}): Custom | undefined {
  if (!page.sent.has('custom')) return undefined;
  const before = read(field(page, 'shown_custom'));
  const after = read(field(page, 'custom'));
  const written = [...after].filter(([key, text]) => text !== before.get(key));
  const gone = [...before.keys()].filter((key) => !after.has(key));
  if (written.length + gone.length === 0) return undefined;
  return Object.fromEntries([
    ...written.map(([key, text]) => [key, text === '' ? null : like(stored[key], text)] as const),
    ...gone.map((key) => [key, null] as const),
  ]);
}

function read(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    const [, key, value = ''] = /^([^\s:][^:]*):(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      last = key.trim();
      fields.set(last, value.trim());
    } else if (/^\s/.test(line) && last !== '')
      fields.set(last, `${fields.get(last)}\n${line.slice(INDENT.length)}`);
    else if (line.trim() !== '') throw unnamed();
  }
  return new Map([...fields].map(([key, value]) => [key, value.trim()]));
}

const unnamed = () => {
  const message = 'Write each field as "key: value".';
  return validation([{ path: 'custom', rule: 'format', message }]);
};

/** Of the kind that the field has, if the text can be that. */
function like(stored: Value | undefined, text: string): Value {
  if (Array.isArray(stored))
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  if (typeof stored === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (typeof stored === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
