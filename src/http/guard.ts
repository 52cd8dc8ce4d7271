import { z } from 'zod';
import { type FieldProblem, validation } from '../errors.ts';
import { joinPath } from './body/json.ts';

type Issue = z.core.$ZodIssue;
type Union = z.core.$ZodIssueInvalidUnion;

/** More would not help, and an answer must not grow with the mistakes in a request. */
const MAX_PROBLEMS = 50;

/** Validates input: returns the typed value, or throws 422 naming each field with a problem once. */
export function guard<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, input, known));
  throw validation(onceEach(problems).slice(0, MAX_PROBLEMS));
}

/** The first problem of a field is enough: a value of the wrong length usually has the wrong format as well. */
const onceEach = (problems: readonly FieldProblem[]): FieldProblem[] =>
  [...Map.groupBy(problems, ({ path }) => path).values()].flatMap(([first]) => first ?? []);

/** @param known the fields of the whole, by name */
function problemsOf(issue: Issue, input: unknown, known: readonly string[] = []): FieldProblem[] {
  const path = issue.path.reduce<string>(joinPath, '');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key, i) => ({
      path: joinPath(path, key),
      rule: 'unknown_field',
      message: 'There is no such field.',
      ...(i === 0 && path === '' && known.length > 0 ? { allowed: known } : {}),
    }));
  if (issue.code === 'custom') return [custom(path, issue)];
  if (valueAt(input, issue.path) === undefined)
    return [{ path, rule: 'required', message: 'This field is required.' }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return withinUnion(issue, path, input);
  return [{ path, ...ruleOf(issue) }];
}

/** Of the value's own type, what that misses; of no type of the union, which there are. */
function withinUnion(issue: Union, path: string, input: unknown): FieldProblem[] {
  const [own] = issue.errors.filter((inner) => !inner.some(isOtherType));
  if (own)
    return own.flatMap((inner) =>
      problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, input),
    );
  const types = issue.errors.flat().filter(isOtherType);
  const nouns = [...new Set(types.map(({ expected }) => article(expected)))];
  return [{ path, rule: 'type', message: `Must be ${nouns.join(', ')}.`.replace(LAST, ' or ') }];
}

const isOtherType = (issue: Issue): issue is z.core.$ZodIssueInvalidType =>
  issue.code === 'invalid_type' && issue.path.length === 0;

const LAST = /, (?=[^,]*$)/;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    input,
  );
}

/** A schema's own rule: `ctx.addIssue({ code: 'custom', path, message, params: { rule, limit, allowed, which } })`. */
function custom(path: string, { message, params }: z.core.$ZodIssueCustom): FieldProblem {
  const { rule, limit, allowed, which } = (params ?? {}) as Partial<FieldProblem>;
  return {
    path,
    rule: rule ?? 'invalid',
    message,
    ...(limit === undefined ? {} : { limit }),
    ...(allowed === undefined ? {} : { allowed }),
    ...(which === undefined ? {} : { which }),
  };
}

type Rule = Omit<FieldProblem, 'path'>;

function ruleOf(issue: Issue): Rule {
  switch (issue.code) {
    case 'too_small':
      return bound('min', issue.origin, Number(issue.minimum));
    case 'too_big':
      return bound('max', issue.origin, Number(issue.maximum));
    case 'invalid_type':
      return { rule: 'type', message: `Must be ${article(issue.expected)}.` };
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      // Of a union distinguished by one field: the values of that field.
      return 'options' in issue ? oneOf(issue.options as unknown[]) : misfit;
    case 'invalid_format':
      return { rule: 'format', message: `Must be a valid ${FORMATS[issue.format] ?? 'value'}.` };
    case 'not_multiple_of':
      return {
        rule: 'multiple_of',
        limit: Number(issue.divisor),
        message: `Must be a multiple of ${issue.divisor}.`,
      };
    default:
      return misfit;
  }
}

const misfit: Rule = { rule: 'type', message: 'This value does not fit.' };

function oneOf(values: readonly unknown[]): Rule {
  const allowed = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  return { rule: 'enum', allowed, message: `Must be one of ${allowed.join(', ')}.` };
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'date, as 2026-12-31',
  datetime: 'date and time, as 2026-12-31T09:00:00Z',
  email: 'e-mail address',
  time: 'time, as 09:00',
  url: 'address',
};

/** What the library calls otherwise. */
const NOUNS: Readonly<Record<string, string>> = { int: 'whole number', record: 'object' };

const article = (expected: string): string => {
  if (expected === 'null') return expected;
  const noun = NOUNS[expected] ?? expected;
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
};

const UNITS: Readonly<Record<string, [suffix: string, unit: string]>> = {
  string: ['_length', ' characters'],
  array: ['_items', ' items'],
  set: ['_items', ' items'],
};

function bound(end: 'min' | 'max', origin: string, limit: number): Rule {
  const [suffix, unit] = UNITS[origin] ?? ['', ''];
  const atLeast = end === 'min' ? 'at least' : 'at most';
  const message =
    unit === ' characters' && end === 'min' && limit === 1
      ? 'Must not be empty.'
      : `Must be ${atLeast} ${limit}${limit === 1 ? unit.replace(/s$/, '') : unit}.`;
  return { rule: `${end}${suffix}`, limit, message };
}
