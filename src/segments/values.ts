import { parsePhone, UNREADABLE_PHONE } from '../contacts/identity/phones.ts';
import type { FieldRule } from '../http/error-guide/field-rules.ts';
import { isDay, isDuration, isSpanOfDays, isTime } from './moments.ts';
import { type Field, MAX_VALUES, type Op, WHOLE_PHONE } from './rules.ts';

export type Path = readonly (string | number)[];

/** What is wrong in the rules, and where: `['all', 2, 'op']`. */
export interface RuleProblem {
  readonly path: Path;
  readonly rule: FieldRule;
  readonly message: string;
  readonly limit?: number;
  readonly allowed?: readonly string[];
}

export interface Given {
  readonly field: Field;
  readonly op: Op;
  readonly value: unknown;
  readonly path: Path;
}

const MAX_TEXT = 200;

/** The problems with the value of a condition whose field and operation are known. */
export function valueProblems(given: Given): RuleProblem[] {
  const { op, value, path } = given;
  if (op === 'empty' || op === 'not_empty') {
    if (value === undefined || value === null) return [];
    return [{ path, rule: 'not_applicable', message: `${op} takes no value.` }];
  }
  if (value === undefined) return [{ path, rule: 'required', message: 'This field is required.' }];
  if (op === 'between') return pairProblems(given);
  if (op === 'in' || op.startsWith('has_')) return listProblems(given);
  return itemProblems(given, value, path);
}

function listProblems(given: Given): RuleProblem[] {
  const { value, path } = given;
  if (!Array.isArray(value)) return [{ path, rule: 'type', message: 'Must be an array.' }];
  const message = `Give 1 to ${MAX_VALUES} values.`;
  if (value.length === 0) return [{ path, rule: 'min_items', limit: 1, message }];
  if (value.length > MAX_VALUES) return [{ path, rule: 'max_items', limit: MAX_VALUES, message }];
  return value.flatMap((each, index) => itemProblems(given, each, [...path, index]));
}

function pairProblems(given: Given): RuleProblem[] {
  const { value, path } = given;
  if (!Array.isArray(value) || value.length !== 2) {
    return [{ path, rule: 'pair', message: 'Must be an array of two: from and to.' }];
  }
  const found = value.flatMap((each, index) => itemProblems(given, each, [...path, index]));
  if (found.length > 0) return found;
  const [first, last] = value as [string | number, string | number];
  if (typeof first === typeof last && inOrder(first, last)) return [];
  return [{ path, rule: 'order', message: 'The first must not be after the second.' }];
}

function inOrder(first: string | number, last: string | number): boolean {
  if (typeof first === 'number' || typeof last === 'number') return first <= last;
  // A day and a time are compared by day, since their order within a day depends on the zone.
  const both = isTime(first) && isTime(last);
  return both ? Date.parse(first) <= Date.parse(last) : first.slice(0, 10) <= last.slice(0, 10);
}

type Problem = Omit<RuleProblem, 'path'>;
type Test = (field: Field, value: unknown) => Problem | null;

function itemProblems({ field, op }: Given, value: unknown, path: Path): RuleProblem[] {
  const problem = testOf(op, field, value)(field, value);
  return problem ? [{ path, ...problem }] : [];
}

/** The value of a custom field can be of any kind, so the condition's own value tells how to compare. */
function testOf(op: Op, { kind, phone }: Field, value: unknown): Test {
  const test = TESTS[op];
  if (test) return test;
  const numeric = kind === 'number' || (kind === 'custom' && typeof value === 'number');
  if (numeric) return numberProblem;
  if (op === 'between') return dateProblem;
  if (phone && WHOLE_PHONE.has(op)) return phoneProblem;
  return kind === 'custom' && typeof value === 'boolean' ? booleanProblem : textProblem;
}

const unless = (fits: boolean, rule: FieldRule, message: string): Problem | null =>
  fits ? null : { rule, message };

const booleanProblem: Test = (_, value) =>
  unless(typeof value === 'boolean', 'type', 'Must be true or false.');

const MAX_NUMBER = 1e15;

const numberProblem: Test = (_, value) =>
  unless(typeof value === 'number', 'type', 'Must be a number.') ??
  unless(
    Math.abs(value as number) <= MAX_NUMBER,
    'range',
    `Must be a number from -${MAX_NUMBER} to ${MAX_NUMBER}.`,
  );

const durationProblem: Test = (_, value) =>
  unless(
    typeof value === 'string' && isDuration(value),
    'duration',
    'Must be an ISO 8601 duration of at most 100 years, as P7D.',
  );

const spanProblem: Test = (_, value) =>
  unless(
    typeof value === 'string' && isSpanOfDays(value),
    'duration',
    'Must be an ISO 8601 duration of days, at most a year, as P7D.',
  );

const dateProblem: Test = ({ kind }, value) =>
  unless(
    typeof value === 'string' && (isDay(value) || (kind === 'time' && isTime(value))),
    'format',
    kind === 'time'
      ? 'Must be a date, or a date and time with an offset, as 2026-12-31T09:00:00Z.'
      : 'Must be a date, as 2026-12-31.',
  );

const TESTS: Partial<Record<Op, Test>> = {
  is: booleanProblem,
  in_last: durationProblem,
  in_next: durationProblem,
  day_month_in_next: spanProblem,
  before: dateProblem,
  after: dateProblem,
  gt: numberProblem,
  gte: numberProblem,
  lt: numberProblem,
  lte: numberProblem,
};

function textProblem({ choices }: Field, value: unknown): Problem | null {
  if (typeof value !== 'string') return { rule: 'type', message: 'Must be a string.' };
  if (choices && !choices.includes(value)) {
    return { rule: 'enum', allowed: choices, message: `Must be one of ${choices.join(', ')}.` };
  }
  const length = [...value].length;
  const message = `Must have 1 to ${MAX_TEXT} characters.`;
  if (length === 0) return { rule: 'min_length', limit: 1, message };
  return length > MAX_TEXT ? { rule: 'max_length', limit: MAX_TEXT, message } : null;
}

/** Its own rule, since the path ends in `value` and does not tell that a phone is meant. */
const phoneProblem: Test = (field, value) =>
  textProblem(field, value) ??
  unless(parsePhone(value as string) !== null, 'phone', UNREADABLE_PHONE.message);
