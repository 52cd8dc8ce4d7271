import { folded, wordsOf } from '../../../folding.ts';
import { readAnswers } from '../../../forms/answers.ts';
import { readingIn } from '../../../forms/reading.ts';
import type { FormField } from '../../../forms/rules.ts';
import type { StepOf } from '../effect.ts';

type Question = Pick<StepOf<'ask'>, 'expects' | 'options'>;

/** The meaning of an answer: as texts and conditions see it, and as a field stores it. */
export interface Answer {
  readonly text: string;
  readonly value: string | number;
}

/** As forms read what people type (design decisions §3). */
const READ_AS = {
  text: 'long_text',
  number: 'number',
  email: 'email',
  phone: 'phone',
  date: 'date',
} as const satisfies Partial<Record<Question['expects'], FormField['type']>>;

/**
 * What a person wrote, as the question expects it: a phone in international form, a day as `YYYY-MM-DD`, an option as
 * it is spelled, `yes` or `no`; null if it does not fit.
 *
 * @param language the workspace's, which decides how numbers, dates and phones are written
 */
export function answerTo(
  { expects, options }: Question,
  written: string,
  language: string,
): Answer | null {
  if (expects === 'yes_no') return asAnswer(yesOrNo(written));
  if (expects === 'choice') return asAnswer(optionOf(options, written));
  const field = { key: 'answer', label: '', required: true, save_to: '', options: [] };
  const asked = { ...field, type: READ_AS[expects] };
  const { values } = readAnswers([asked], () => [written], readingIn(language, ''));
  const value = values.get('answer');
  return asAnswer(typeof value === 'number' || typeof value === 'string' ? value : null);
}

const asAnswer = (value: string | number | null): Answer | null =>
  value === null ? null : { text: String(value), value };

const YES = new Set([
  ...['sim', 's', 'claro', 'com certeza', 'pode ser', 'quero', 'isso', 'positivo'],
  ...['yes', 'y', 'yeah', 'yep', 'sure', 'ok', 'okay', 'si', 'por supuesto'],
]);
const NO = new Set([
  ...['nao', 'n', 'nao quero', 'negativo', 'no', 'nope', 'no thanks', 'nao obrigado'],
  ...['nao obrigada', 'no gracias'],
]);

const MARKS: Readonly<Record<string, 'yes' | 'no'>> = { '👍': 'yes', '👎': 'no' };

function yesOrNo(written: string): 'yes' | 'no' | null {
  const mark = MARKS[written.trim().replace(/[\u{1F3FB}-\u{1F3FF}]/u, '')];
  if (mark) return mark;
  const words = wordsOf(written);
  if (YES.has(words)) return 'yes';
  return NO.has(words) ? 'no' : null;
}

/** How an option may be told, the closest first. Signs count until only words are left: `A+` and `A-` have the same. */
const TOLD_BY: readonly ((text: string) => string)[] = [
  (text) => text.trim().toLowerCase(),
  (text) => folded(text).trim(),
  wordsOf,
];

/**
 * The only option that is told so, otherwise by its number in the list, counted from 1. If an option is itself a number,
 * that takes precedence.
 */
function optionOf(options: readonly string[], written: string): string | null {
  for (const told of TOLD_BY) {
    const [found, ...others] = options.filter((option) => told(option) === told(written));
    if (found !== undefined && others.length === 0 && told(written) !== '') return found;
  }
  const words = wordsOf(written);
  return /^\d{1,2}$/.test(words) ? (options[Number(words) - 1] ?? null) : null;
}
