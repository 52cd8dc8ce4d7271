import {
  type Condition,
  type FieldKind,
  isGroup,
  type Op,
  type Rules,
} from '../../../segments/rules.ts';

/** What a run knows about a field; null or absent means nothing. */
export type Known = string | number | boolean | null | undefined;

/** Whether the rules hold, given which of their conditions do. */
export function passes(rules: Rules, test: (condition: Condition) => boolean): boolean {
  if (!isGroup(rules)) return test(rules);
  if ('not' in rules) return !passes(rules.not, test);
  return 'all' in rules
    ? rules.all.every((part) => passes(part, test))
    : rules.any.some((part) => passes(part, test));
}

/** Each operation is the negation of another one, as in segments: a missing value is not equal. */
const OPPOSITES: Partial<Record<Op, Op>> = { neq: 'eq', empty: 'not_empty' };

/** Evaluates one condition on what a run knows, with the same meaning as in a segment (design decisions §11). */
export function compares(kind: FieldKind, { op, value }: Condition, known: Known): boolean {
  const opposite = OPPOSITES[op];
  if (opposite) return !compares(kind, { field: '', op: opposite, value }, known);
  if (known === null || known === undefined) return op === 'is' && value === false;
  if (op === 'is') return known === value;
  if (op === 'not_empty') return known !== '';
  return kind === 'number'
    ? comparesNumber(op, value, Number(known))
    : comparesText(op, value, kind === 'text' ? folded : asWritten, String(known));
}

const asWritten = (text: string): string => text;
const folded = (text: string): string => text.toLowerCase();

function comparesText(
  op: Op,
  value: unknown,
  fold: (text: string) => string,
  text: string,
): boolean {
  const known = fold(text);
  if (op === 'in') return (value as string[]).some((each) => fold(each) === known);
  const asked = fold(String(value));
  if (op === 'contains') return known.includes(asked);
  return op === 'starts_with' ? known.startsWith(asked) : known === asked;
}

function comparesNumber(op: Op, value: unknown, known: number): boolean {
  if (op === 'between') {
    const [from, to] = value as [number, number];
    return known >= from && known <= to;
  }
  const asked = Number(value);
  switch (op) {
    case 'gt':
      return known > asked;
    case 'gte':
      return known >= asked;
    case 'lt':
      return known < asked;
    case 'lte':
      return known <= asked;
    default:
      return known === asked;
  }
}
