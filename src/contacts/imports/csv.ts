import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { plainCell } from '../../csv.ts';
import { UNSTORABLE } from '../../db/storable.ts';
import { type AppError, type FieldProblem, validation } from '../../errors.ts';
import { folded } from '../../folding.ts';
import type { FieldRule } from '../../http/error-guide/field-rules.ts';
import { CUSTOM_FIELD } from '../rules.ts';
import { createLines } from './lines.ts';
import { tagsIn } from './tags.ts';

/** Columns of a file beside `custom.<key>`; `custom` has them all, as a JSON object. */
export const COLUMNS = [
  'name',
  'phone',
  'email',
  'tags',
  'birth_date',
  'birth_year_known',
  'language',
  'time_zone',
  'notes',
  'custom',
  'opted_out',
  'blocked',
  'id',
] as const;

/** What the console's file of all contacts has beside these. It can be imported as it is; these say nothing there. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  'owner_id',
  'opted_out_at',
  'opt_out_source',
  'identities',
  'whatsapp_status',
  'origin',
  'created_via',
  'last_inbound_at',
  'last_outbound_at',
  'created_at',
  'updated_at',
]);

/** One row's fields as the file has them, not yet validated. */
export interface CsvRow {
  /** The last of its lines in the file, the header being line 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the row cannot be used at all: its number of cells differs from the header's. */
  readonly problem: FieldProblem | null;
}

/** A contact may have 100 fields of 2,000 characters; a quote in one takes three in JSON within CSV. */
const MAX_ROW_CHARACTERS = 1_000_000;

/** Several times as many as a contact has fields. Rows of tens of thousands of cells would hold up all others. */
const MAX_COLUMNS = 500;

/**
 * Reads a CSV file in UTF-8 whose first line names the columns. Columns are separated by commas or semicolons (which
 * spreadsheets use where the comma is the decimal mark). All cells are texts. A row with the wrong number of cells is
 * reported without affecting the others, and one without any cell filled is none. Throws 422 for a file that cannot be
 * read, and for more than `maxRows` or 500 columns.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  maxRows: number,
): AsyncGenerator<CsvRow> {
  const text = decoded(bytes);
  const first = await text.next();
  const head = first.done ? '' : first.value;
  const parser = parse({
    columns: checkedHeader,
    delimiter: delimiterOf(head),
    bom: true,
    info: true,
    // All of them: by itself the parser takes the end of the first line for that of each.
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_records_with_empty_values: true,
    trim: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  // The parser's own count takes a CRLF in quotes for two.
  const lines = createLines();
  // Failures of the input end the parser and surface from it.
  pipeline(Readable.from(following(head, text, lines.add)), parser).catch(() => {});
  let rows = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Read>) {
      rows += 1;
      if (rows > maxRows) throw refusal('max_rows', `At most ${maxRows} rows.`, { limit: maxRows });
      const line = lines.before(info.bytes);
      yield info.error
        ? { line, fields: {}, problem: OTHER_LENGTH }
        : { line, fields: toFields(record), problem: null };
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error, lines.before) : error;
  }
  if (rows === 0)
    throw refusal('min_rows', 'The file holds no contacts below its first line.', { limit: 1 });
}

const OTHER_LENGTH: FieldProblem = {
  path: '',
  rule: 'columns',
  message: 'This row has more or fewer cells than the first line names columns: look for quotes.',
};

interface Read {
  readonly record: Record<string, string>;
  /** `error` is set for a row that was passed on although its number of cells is wrong. */
  readonly info: Info & { readonly error?: CsvError };
}

async function* following(
  head: string,
  rest: AsyncIterable<string>,
  seen: (piece: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  const passed = (text: string): Buffer => {
    const piece = Buffer.from(text);
    seen(piece);
    return piece;
  };
  if (head !== '') yield passed(head);
  for await (const text of rest) yield passed(text);
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of bytes) yield withoutNul(decoder.decode(piece, { stream: true }));
    yield withoutNul(decoder.decode());
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw refusal('encoding', 'The file must be plain UTF-8 text: save it as “CSV UTF-8”.');
  }
}

function withoutNul(text: string): string {
  if (!text.includes('\0')) return text;
  throw refusal('encoding', 'The file holds a NUL character: it is no text.');
}

/** No column name contains a comma or a semicolon. */
function delimiterOf(head: string): string {
  const line = head.split(/[\r\n]/, 1)[0] ?? '';
  return line.includes(';') && !line.includes(',') ? ';' : ',';
}

function checkedHeader(names: readonly string[]): string[] {
  const known: readonly string[] = COLUMNS;
  const unknown = names.filter(
    (name) => !known.includes(name) && !CUSTOM_FIELD.test(name) && !PASSED_OVER.has(name),
  );
  if (unknown.length > 0) {
    const which = shown(unknown);
    const allowed = [...COLUMNS, 'custom.<key>'];
    throw refusal(
      'unknown_columns',
      `These columns are not known: ${quoted(which)}. There are: ${allowed.join(', ')}. A key has 1 to 40 of a-z, 0-9 and _.`,
      { which, allowed },
    );
  }
  if (names.length > MAX_COLUMNS)
    throw refusal('max_columns', `At most ${MAX_COLUMNS} columns.`, { limit: MAX_COLUMNS });
  const repeated = names.filter((name, i) => names.indexOf(name) < i);
  if (repeated.length > 0) {
    const which = shown(repeated);
    throw refusal(
      'repeated_column',
      `There twice: ${quoted(which)}. Each column may be there once.`,
      { which },
    );
  }
  return [...names];
}

/** A file that is no list of contacts may have anything as its first line. */
const shown = (names: readonly string[]): string[] =>
  [...new Set(names)].slice(0, 10).map((name) => name.slice(0, 40));

const quoted = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(', ');

/** Spreadsheets write `true` in capitals and in their own language; other tools have words or digits. */
const YES = new Set(['true', 'verdadeiro', 'yes', 'sim', '1']);
const NO = new Set(['false', 'falso', 'no', 'nao', '0']);

function yesOrNo(cell: string): boolean | string {
  const word = folded(cell);
  return YES.has(word) || (NO.has(word) ? false : cell);
}

/** Cells that need more than their text. What cannot be read stays a text, which the row's own check refuses. */
const READ: Readonly<Record<string, (cell: string) => unknown>> = {
  tags: tagsIn,
  birth_year_known: yesOrNo,
  opted_out: yesOrNo,
  blocked: yesOrNo,
  custom: (cell) => {
    try {
      const value: unknown = JSON.parse(cell);
      return isShallow(value) && !UNSTORABLE.test(JSON.stringify(value)) ? value : cell;
    } catch {
      return cell;
    }
  },
};

/** More than is allowed, so that the row's own check names the value; thousands could be neither written nor stored. */
const DEEPEST = 4;

const isShallow = (value: unknown, left = DEEPEST): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((one) => isShallow(one, left - 1)));

/** `custom.<key>` columns become custom fields; empty cells are left out. */
function toFields(record: Record<string, string>): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  const custom: [string, string][] = [];
  for (const [name, cell] of Object.entries(record)) {
    if (cell === '' || PASSED_OVER.has(name)) continue;
    const text = plainCell(cell);
    if (name.startsWith('custom.')) custom.push([name.slice('custom.'.length), text]);
    else fields.push([name, READ[name]?.(text) ?? text]);
  }
  const given = Object.fromEntries(fields);
  const { custom: all = {} } = given;
  const isReadable = typeof all === 'object' && !Array.isArray(all);
  return custom.length > 0 && isReadable
    ? { ...given, custom: { ...all, ...Object.fromEntries(custom) } }
    : given;
}

/** The cell that cannot be read begins right behind the last one that could. */
function unreadable(
  { bytes }: CsvError & { bytes?: number },
  lineBefore: (place: number) => number,
): AppError {
  const line = bytes === undefined ? null : lineBefore(bytes + 1);
  const place = line === null ? '' : ` near line ${line}`;
  const message = `The file cannot be read as CSV${place}: look for quotes.`;
  return refusal('csv', message, line === null ? {} : { which: [line] });
}

const refusal = (
  rule: FieldRule,
  message: string,
  more: Pick<FieldProblem, 'limit' | 'allowed' | 'which'> = {},
): AppError => validation([{ path: 'file', rule, message, ...more }]);
