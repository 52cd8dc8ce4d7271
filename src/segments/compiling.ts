import { type Bind, oneByOne } from '../db/sql.ts';
import { comingDays, dayBounds, type Moment, type TimeOp, timeBounds } from './moments.ts';
import {
  type Condition,
  type FieldKind,
  fieldNamed,
  isGroup,
  type Op,
  type Rules,
} from './rules.ts';
import { asDay, asNumber, type Source, sourceOf } from './sources.ts';

interface Asked {
  readonly source: Source;
  readonly kind: FieldKind;
  readonly value: unknown;
  readonly bind: Bind;
  readonly moment: Moment;
}

/**
 * Compiles rules to one SQL condition on `contacts` under the alias `c`. All values go through `bind`, so no user
 * input becomes SQL. A condition is true or false, never null, so that `not` negates it.
 *
 * @param bind adds a parameter and returns its placeholder, `$7`
 */
export function segmentCondition(rules: Rules, bind: Bind, moment: Moment): string {
  if (!isGroup(rules)) return conditionSql(rules, bind, moment);
  if ('not' in rules) return `not ${segmentCondition(rules.not, bind, moment)}`;
  const [parts, word] = 'all' in rules ? [rules.all, ' and '] : [rules.any, ' or '];
  return `(${parts.map((part) => segmentCondition(part, bind, moment)).join(word)})`;
}

/** Each operation is the negation of another one: a contact without a name matches "not Ana". */
const OPPOSITES: Partial<Record<Op, Op>> = { neq: 'eq', has_none: 'has_any', empty: 'not_empty' };

function conditionSql({ field: name, op, value }: Condition, bind: Bind, moment: Moment): string {
  const field = fieldNamed(name);
  if (!field) throw new TypeError('These rules were not checked.');
  const asked: Asked = {
    source: sourceOf(name, op, bind, moment),
    kind: field.kind,
    value,
    bind,
    moment,
  };
  const opposite = OPPOSITES[op];
  return opposite ? `not ${holds(opposite, asked)}` : holds(op, asked);
}

/** Whether any of a field's values passes: a contact has one name and many tags. */
function some({ relation, expression }: Source, test: (expression: string) => string): string {
  if (!relation) return `((${test(expression)}) is true)`;
  return `exists (select from ${relation} and (${test(expression)}))`;
}

function holds(op: Op, asked: Asked): string {
  const { source, kind, value, bind } = asked;
  switch (op) {
    case 'is':
      return isSql(asked);
    case 'not_empty':
      return some(source, (x) => (source.folded ? `${x} <> ''` : `${x} is not null`));
    case 'has_all':
      return allSql(asked);
    case 'has_any':
    case 'in':
      return some(source, (x) => oneOf(source, x, keysOf(source, value as string[]), bind));
    case 'contains':
      return some(source, (x) => `position(lower(${bind(value)}::text) in lower(${x})) > 0`);
    case 'starts_with':
      return some(source, (x) => `starts_with(lower(${x}), lower(${bind(value)}::text))`);
    case 'day_month_in_next':
      return birthdaySql(asked);
    case 'eq':
      return equalSql(asked);
    case 'between':
      return isNumber(kind, (value as unknown[])[0]) ? numberSql(op, asked) : timeSql(op, asked);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return numberSql(op, asked);
    default:
      return timeSql(op as TimeOp, asked);
  }
}

const isNumber = (kind: FieldKind, value: unknown): boolean =>
  kind === 'number' || typeof value === 'number';

/** Words are compared case-insensitively, ids exactly. */
const same = ({ folded }: Source, expression: string, operand: string): string =>
  folded ? `${lowered(folded, expression)} = lower(${operand})` : `${expression} = ${operand}`;

const oneOf = (
  { folded }: Source,
  expression: string,
  values: readonly string[],
  bind: Bind,
): string => {
  if (!folded) return `${expression} = any (${bind(values)}::text[])`;
  // One by one they are constants to the planner, which then knows how many rows each has.
  const operands = values.map((value) => `lower(${bind(value)}::text)`);
  return `${lowered(folded, expression)} in (${operands.join(', ')})`;
};

const lowered = (folded: 'compared' | 'stored', expression: string): string =>
  folded === 'stored' ? expression : `lower(${expression})`;

const keysOf = ({ keyOf }: Source, values: readonly string[]): readonly string[] =>
  keyOf ? values.map(keyOf) : values;

/** Planning more joins than these takes longer than asking whoever has the first ones for the rest. */
const JOINED = 2;

function allSql({ source, value, bind }: Asked): string {
  const values = keysOf(source, value as string[]);
  const has = (operand: string): string => some(source, (x) => same(source, x, operand));
  const parts = values.slice(0, JOINED).map((each) => has(`${bind(each)}::text`));
  const rest = values.slice(JOINED);
  if (rest.length > 0)
    parts.push(
      oneByOne(
        `not exists (select from unnest(${bind(rest)}::text[]) w (v) where not ${has('w.v')})`,
      ),
    );
  return `(${parts.join(' and ')})`;
}

function equalSql(asked: Asked): string {
  const { source, kind, value, bind } = asked;
  if (isNumber(kind, value)) return numberSql('eq', asked);
  if (typeof value === 'boolean') return isSql(asked);
  const key = source.keyOf ? source.keyOf(value as string) : value;
  return some(source, (x) => same(source, x, `${bind(key)}::text`));
}

function isSql({ source, kind, value, bind }: Asked): string {
  if (kind === 'custom') return some(source, (x) => `lower(${x}) = ${bind(String(value))}::text`);
  const yes = some(source, (x) => x);
  return value === true ? yes : `not ${yes}`;
}

const COMPARISONS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function numberSql(op: keyof typeof COMPARISONS | 'between', asked: Asked): string {
  const { source, kind, value, bind } = asked;
  return some(source, (x) => {
    const number = kind === 'custom' ? asNumber(x) : x;
    if (op !== 'between') return `${number} ${COMPARISONS[op]} ${bind(value)}::numeric`;
    const [first, last] = value as [number, number];
    return `${number} between ${bind(first)}::numeric and ${bind(last)}::numeric`;
  });
}

function timeSql(op: TimeOp, { source, kind, value, bind, moment }: Asked): string {
  if (kind === 'time') {
    const bounds = timeBounds(op, value, moment);
    return some(source, (x) =>
      bounds.map(([is, at]) => `${x} ${is} ${bind(at)}::timestamptz`).join(' and '),
    );
  }
  const bounds = dayBounds(op, value, moment);
  return some(source, (x) => {
    const day = kind === 'custom' ? asDay(x) : x;
    const tests = bounds.map(([is, at]) => `${day} ${is} ${bind(at)}::date`);
    // A birthday without a year is stored with 1904; such a date is neither before nor after anything.
    return [...(kind === 'day' ? ['c.birth_year_known'] : []), ...tests].join(' and ');
  });
}

function birthdaySql({ source, kind, value, bind, moment }: Asked): string {
  const days = comingDays(value as string, moment);
  return some(source, (x) => {
    const date = kind === 'custom' ? asDay(x) : x;
    if (!days) return `${date} is not null`;
    const day = `(extract(month from ${date}) * 100 + extract(day from ${date}))`;
    const from = `${bind(days.from)}::int`;
    const to = `${bind(days.to)}::int`;
    const word = days.from <= days.to ? 'and' : 'or';
    const leapDay = days.leapDay ? ` or ${day} = 229` : '';
    return `(${day} >= ${from} ${word} ${day} <= ${to})${leapDay}`;
  });
}
