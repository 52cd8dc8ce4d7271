import { readLocalPhone } from '../contacts/identity/local-phones.ts';
import { EMAIL, isBirthDate, LONGEST_EMAIL } from '../contacts/rules.ts';
import { isBlank } from '../http/fields.ts';
import type { Reading } from './reading.ts';
import type { FormField } from './rules.ts';

/** A person's answer; null if left empty (design decisions §3). */
export type AnswerValue = string | number | boolean | readonly string[] | null;

/** Why an answer is not accepted; the page puts it into words. */
type ProblemCode =
  | 'required'
  | 'choose'
  | 'tick'
  | 'too_long'
  | 'email'
  | 'phone'
  | 'number'
  | 'date'
  | 'birth_date'
  | 'option'
  | 'several';

/** Why an answer is not accepted, as a code. */
export interface Problem {
  readonly code: ProblemCode;
  /** With `too_long`: how many characters are allowed. */
  readonly limit?: number;
}

/** The result of reading an answer. */
type Read = { readonly value: AnswerValue } | { readonly problem: Problem };

/** What was sent for a form, field by field. */
export interface Answers {
  /** By the field's key; every field of the form has one. */
  readonly values: ReadonlyMap<string, AnswerValue>;
  readonly problems: ReadonlyMap<string, Problem>;
}

/**
 * Reads what was sent for each field, by the field's own rules. Names that the form does not have are ignored; `sent`
 * returns the values under a field's key, in order.
 */
export function readAnswers(
  fields: readonly FormField[],
  sent: (key: string) => readonly string[],
  reading: Reading,
): Answers {
  const values = new Map<string, AnswerValue>();
  const problems = new Map<string, Problem>();
  for (const field of fields) {
    const read = readAnswer(field, sent(field.key), reading);
    if ('problem' in read) problems.set(field.key, read.problem);
    else values.set(field.key, read.value);
  }
  return { values, problems };
}

const wrong = (code: ProblemCode, limit?: number): Read => ({
  problem: limit === undefined ? { code } : { code, limit },
});

function readAnswer(field: FormField, sent: readonly string[], reading: Reading): Read {
  if (field.type === 'multi_select') return readChoices(field, sent);
  if (sent.length > 1) return wrong('several');
  const text = tidy(field, sent[0] ?? '');
  if (field.type === 'checkbox' || field.type === 'consent') return readTick(field, text);
  if (isBlank(text)) return readEmpty(field);
  return READERS[field.type](text, field, reading);
}

function readEmpty({ required, type }: FormField): Read {
  if (required) return wrong(type === 'select' ? 'choose' : 'required');
  return { value: null };
}

/** Browsers send line breaks as CR LF; a single-line field has none. */
function tidy({ type }: FormField, text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  return (type === 'long_text' ? lines : lines.replaceAll('\n', ' ')).trim();
}

/** A box counts as ticked whatever value it sends. Only a required box can have a problem. */
function readTick({ required }: FormField, text: string): Read {
  const value = text !== '';
  return required && !value ? wrong('tick') : { value };
}

/** In the form's order and without duplicates, however they were sent. */
function readChoices({ required, options }: FormField, sent: readonly string[]): Read {
  const chosen = new Set(sent.filter((option) => option !== ''));
  if ([...chosen].some((option) => !options.includes(option))) return wrong('option');
  if (chosen.size === 0) return required ? wrong('choose') : { value: null };
  return { value: options.filter((option) => chosen.has(option)) };
}

type Single = Exclude<FormField['type'], 'multi_select' | 'checkbox' | 'consent'>;

const READERS: {
  readonly [T in Single]: (text: string, field: FormField, reading: Reading) => Read;
} = {
  text: (text) => upTo(200, text),
  long_text: (text) => upTo(2000, text),
  email: (text) => (isEmail(text) ? { value: text } : wrong('email')),
  phone: (text, _, { country }) => {
    const phone = readLocalPhone(text, country);
    return phone ? { value: phone.e164 } : wrong('phone');
  },
  number: (text, _, { decimalComma }) => {
    const value = numberOf(text, decimalComma);
    return value === null ? wrong('number') : { value };
  },
  date: (text, { save_to }, { today, dayFirst }) => {
    const date = dateOf(text, dayFirst);
    if (date === null) return wrong('date');
    if (save_to === 'birth_date' && !isBirthDate(date, today)) return wrong('birth_date');
    return { value: date };
  },
  select: (text, { options }) => {
    // Compared without surrounding blanks, which were removed from what was sent.
    const option = options.find((one) => one.trim() === text);
    return option === undefined ? wrong('option') : { value: option };
  },
};

function upTo(limit: number, text: string): Read {
  return [...text].length > limit ? wrong('too_long', limit) : { value: text };
}

/** Accepts the same addresses as the API. */
const isEmail = (text: string): boolean => text.length <= LONGEST_EMAIL && EMAIL.test(text);

const WITH_COMMA = /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/;
const WITH_POINT = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;
const MAX_DIGITS = 30;
const MAX_NUMBER = 1e15;

/** In the number format of the place, or in the other one if that is unambiguous; null for anything else. */
export function numberOf(text: string, decimalComma: boolean): number | null {
  const written = text.replace(/[\s\u00a0\u202f]/g, '');
  if (written.length > MAX_DIGITS) return null;
  const comma = (): number => Number(written.replaceAll('.', '').replace(',', '.'));
  const point = (): number => Number(written.replaceAll(',', ''));
  const ways = [
    { fits: WITH_COMMA.test(written), value: comma },
    { fits: WITH_POINT.test(written), value: point },
  ];
  const way = (decimalComma ? ways : ways.toReversed()).find(({ fits }) => fits);
  const value = way?.value();
  return value === undefined || Math.abs(value) > MAX_NUMBER ? null : value;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_FIRST = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/;
const MIN_YEAR = 1000;

/** As a date control sends it, or as people type it. */
function dateOf(text: string, dayFirst: boolean): string | null {
  const typed = dayFirst ? DAY_FIRST.exec(text) : null;
  const [, year, month, day] = typed
    ? [null, typed[3], typed[2], typed[1]]
    : (ISO_DATE.exec(text) ?? []);
  if (!year || !month || !day || Number(year) < MIN_YEAR) return null;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const iso = date.toISOString().slice(0, 10);
  return iso === `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` ? iso : null;
}
