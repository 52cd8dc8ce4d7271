import { CUSTOM_FIELD, ORIGINS } from '../contacts/rules.ts';
import { STAGE_KINDS } from '../pipelines/rules.ts';

/** The rules of a segment (design decisions §11). Stored rules have passed `ruleProblems`. */
export type Rules =
  | { readonly all: readonly Rules[] }
  | { readonly any: readonly Rules[] }
  | { readonly not: Rules }
  | Condition;

/** A single condition on a field of the contact. */
export interface Condition {
  readonly field: string;
  readonly op: Op;
  /** Absent for `empty` and `not_empty`. */
  readonly value?: unknown;
}

/** Groups within groups. */
export const MAX_DEPTH = 4;
export const MAX_CONDITIONS = 50;
export const MAX_VALUES = 100;

const TEXT = ['eq', 'neq', 'contains', 'starts_with', 'in', 'empty', 'not_empty'] as const;
const NUMBER = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'empty', 'not_empty'] as const;
const TIME = ['before', 'after', 'between', 'in_last', 'in_next', 'empty', 'not_empty'] as const;
const DAY = [...TIME, 'day_month_in_next'] as const;
const SET = ['has_any', 'has_all', 'has_none', 'eq', 'neq', 'in', 'empty', 'not_empty'] as const;
const BOOLEAN = ['is'] as const;

/** The operations of each kind of field. */
export const OPS = {
  text: TEXT,
  /** One word of a fixed set, or one id; never compared by parts. */
  choice: ['eq', 'neq', 'in', 'empty', 'not_empty'],
  boolean: BOOLEAN,
  number: NUMBER,
  time: TIME,
  /** A day without a time. */
  day: DAY,
  /** Any number of words or ids: `eq` is `has_any` of one. */
  set: SET,
  /** A custom field can hold anything; the condition's value decides how it is compared. */
  custom: [...new Set([...TEXT, ...NUMBER, ...DAY, ...SET, ...BOOLEAN])],
} as const satisfies Record<string, readonly string[]>;

export type FieldKind = keyof typeof OPS;
export type Op = (typeof OPS)[FieldKind][number];

/** The kind of record that an id in a condition refers to. */
export type IdNoun =
  | 'member'
  | 'number'
  | 'team'
  | 'stage'
  | 'pipeline'
  | 'campaign'
  | 'form'
  | 'automation';

/** A field that can be compared, and how. */
export interface Field {
  readonly kind: FieldKind;
  /** Whole ones are compared as phones, with and without Brazil's ninth digit, and their parts as texts. */
  readonly phone?: true;
  readonly ids?: IdNoun;
  readonly choices?: readonly string[];
}

/** The operations that compare a whole phone. */
export const WHOLE_PHONE: ReadonlySet<Op> = new Set(['eq', 'neq', 'in']);

const FIELDS = {
  name: { kind: 'text' },
  phone: { kind: 'text', phone: true },
  email: { kind: 'text' },
  language: { kind: 'text' },
  opted_out: { kind: 'boolean' },
  tag: { kind: 'set' },
  owner_id: { kind: 'choice', ids: 'member' },
  origin: { kind: 'choice', choices: ORIGINS },
  created_at: { kind: 'time' },
  last_inbound_at: { kind: 'time' },
  last_outbound_at: { kind: 'time' },
  birth_date: { kind: 'day' },
  number_id: { kind: 'set', ids: 'number' },
  team_id: { kind: 'set', ids: 'team' },
  stage: { kind: 'set', ids: 'stage' },
  pipeline: { kind: 'set', ids: 'pipeline' },
  'deal.status': { kind: 'set', choices: STAGE_KINDS },
  'deal.value_cents': { kind: 'number' },
  'conversation.status': { kind: 'set', choices: ['open', 'closed'] },
  window_open: { kind: 'boolean' },
  'campaign.received': { kind: 'set', ids: 'campaign' },
  'campaign.replied': { kind: 'set', ids: 'campaign' },
  'form.submitted': { kind: 'set', ids: 'form' },
  'automation.run': { kind: 'set', ids: 'automation' },
} as const satisfies Record<string, Field>;

/** Of fields that are not custom. */
export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES: readonly string[] = [...Object.keys(FIELDS), 'custom.<key>'];

/** Null for an unknown name. */
export function fieldNamed(name: string): Field | null {
  if (CUSTOM_FIELD.test(name)) return { kind: 'custom' };
  return Object.hasOwn(FIELDS, name) ? FIELDS[name as FieldName] : null;
}

/** Every condition, in the order in which they are written. */
export function conditionsIn(rules: Rules): readonly Condition[] {
  if (!isGroup(rules)) return [rules];
  if ('not' in rules) return conditionsIn(rules.not);
  return ('all' in rules ? rules.all : rules.any).flatMap(conditionsIn);
}

/** Whether the rules combine others, rather than being a condition. */
export const isGroup = (rules: Rules): rules is Exclude<Rules, Condition> =>
  'all' in rules || 'any' in rules || 'not' in rules;
