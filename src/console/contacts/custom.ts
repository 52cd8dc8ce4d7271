import type { Custom } from '../../contacts/fields.ts';
import { type FieldProblem, validation } from '../../errors.ts';
import { field, type Page } from '../page.ts';

type Sent = Pick<Page, 'sent'>;
type Value = Custom[string];

/**
 * A field for each line, `city: Recife`; a value of several lines goes on in lines that begin with blanks, and a list has
 * each entry behind a dash.
 */
export const customText = (custom: Readonly<Record<string, unknown>>): string =>
  Object.entries(custom)
    .map(
      ([key, value]) =>
        `${key}: ${indented(Array.isArray(value) ? listText(value) : String(value))}`,
    )
    .join('\n');

const indented = (text: string): string => text.replaceAll(/\r?\n/g, `\n${INDENT}`);

const listText = (entries: readonly unknown[]): string =>
  entries.map((entry) => `\n- ${indented(String(entry))}`).join('');

const INDENT = '  ';

/** As it is shown. */
export const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/**
 * The custom fields that were written, changed and taken out (null) in the form; undefined if none were. Throws 422 for
 * a line that names no field, a field that is there twice, and a text that is not of the kind that its field has.
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
  const faults: FieldProblem[] = [];
  const patched = (key: string, text: string): Value => {
    const kind = KINDS.find(({ is }) => is(stored[key]));
    const value = kind && text !== '' ? kind.of(text) : text || null;
    if (value === undefined && kind) faults.push(fault(kind.wrong, key));
    return value ?? null;
  };
  const patch = Object.fromEntries([
    ...written.map(([key, text]) => [key, patched(key, text)] as const),
    ...gone.map((key) => [key, null] as const),
  ]);
  if (faults.length > 0) throw validation(faults);
  return patch;
}

function read(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of text.split('\n')) {
    const [, key, value = ''] = /^([^\s:][^:]*):(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      last = key.trim();
      if (fields.has(last)) throw validation([fault(TWICE, last)]);
      fields.set(last, value.trim());
    } else if (/^\s/.test(line) && last !== '')
      fields.set(last, `${fields.get(last)}\n${line.replace(/^\s{1,2}/, '')}`);
    else if (line.trim() !== '') throw validation([fault(UNNAMED)]);
  }
  return new Map([...fields].map(([key, value]) => [key, value.trim()]));
}

function entriesOf(text: string): string[] | undefined {
  const entries: string[] = [];
  for (const line of text.split('\n')) {
    const [, entry] = /^- ?(.*)$/.exec(line) ?? [];
    if (entry !== undefined) entries.push(entry);
    else if (entries.length > 0 && line.startsWith(INDENT))
      entries.push(`${entries.pop()}\n${line.slice(INDENT.length)}`);
    else return undefined;
  }
  return entries;
}

type Wrong = Omit<FieldProblem, 'path'>;

const UNNAMED: Wrong = { rule: 'format', message: 'Write each field as "key: value".' };
const TWICE: Wrong = { rule: 'unique', message: 'Name each field once.' };

interface Kind {
  is(stored: Value | undefined): boolean;
  of(text: string): Value | undefined;
  readonly wrong: Wrong;
}

/** What stays what it is: conditions that compare numbers find no text, and those of lists no line with commas. */
const KINDS: readonly Kind[] = [
  {
    is: (stored) => Array.isArray(stored),
    of: entriesOf,
    wrong: {
      rule: 'stays_list',
      message: 'This is a list: write each entry on a line of its own, as "  - entry".',
    },
  },
  {
    is: (stored) => typeof stored === 'number',
    of: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
    wrong: { rule: 'stays_number', message: 'This is a number: write it as 42.5.' },
  },
  {
    is: (stored) => typeof stored === 'boolean',
    of: (text) => (/^(true|false)$/.test(text) ? text === 'true' : undefined),
    wrong: { rule: 'stays_boolean', message: 'This is true or false.' },
  },
];

const fault = (wrong: Wrong, key?: string): FieldProblem => ({
  path: key === undefined ? 'custom' : `custom.${key}`,
  ...wrong,
});
