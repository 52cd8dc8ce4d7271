import {
  FIELD_NAMES,
  type Field,
  fieldNamed,
  MAX_CONDITIONS,
  MAX_DEPTH,
  OPS,
  type Op,
} from './rules.ts';
import { type Path, type RuleProblem, valueProblems } from './values.ts';

export type { RuleProblem } from './values.ts';

/** The fields that conditions may use. Automations have more of them than segments, in the same language. */
export interface Vocabulary {
  readonly fieldNamed: (name: string) => Field | null;
  readonly names: readonly string[];
}

export const OF_SEGMENTS: Vocabulary = { fieldNamed, names: FIELD_NAMES };

interface Check extends Vocabulary {
  readonly problems: RuleProblem[];
  conditions: number;
}

const GROUPS = ['all', 'any', 'not'] as const;

/** Every problem with the given rules; if there is none, they can be compiled. */
export function ruleProblems(
  rules: unknown,
  vocabulary: Vocabulary = OF_SEGMENTS,
): readonly RuleProblem[] {
  const check: Check = { ...vocabulary, problems: [], conditions: 0 };
  checkRules(check, rules, [], 1);
  if (check.conditions > MAX_CONDITIONS) {
    const message = `Must have at most ${MAX_CONDITIONS} conditions.`;
    return [{ path: [], rule: 'max_conditions', limit: MAX_CONDITIONS, message }];
  }
  return check.problems;
}

function checkRules(check: Check, rules: unknown, path: Path, depth: number): void {
  const { problems } = check;
  if (!isRecord(rules)) {
    problems.push({ path, rule: 'type', message: 'Must be an object.' });
    return;
  }
  const group = GROUPS.find((name) => Object.hasOwn(rules, name));
  if (group === undefined) {
    checkCondition(check, rules, path);
    return;
  }
  refuseOthers(check, rules, path, [group]);
  if (depth > MAX_DEPTH) {
    const message = `Groups must be at most ${MAX_DEPTH} deep.`;
    problems.push({ path: [...path, group], rule: 'max_depth', limit: MAX_DEPTH, message });
  } else if (group === 'not') {
    checkRules(check, rules[group], [...path, group], depth + 1);
  } else {
    checkList(check, rules[group], [...path, group], depth + 1);
  }
}

function checkList(check: Check, list: unknown, path: Path, depth: number): void {
  if (!Array.isArray(list)) {
    check.problems.push({ path, rule: 'type', message: 'Must be an array.' });
  } else if (list.length === 0) {
    const message = 'Give at least one condition.';
    check.problems.push({ path, rule: 'min_items', limit: 1, message });
  } else if (list.length > MAX_CONDITIONS) {
    check.conditions += list.length;
  } else {
    for (const [index, each] of list.entries()) checkRules(check, each, [...path, index], depth);
  }
}

function checkCondition(check: Check, condition: Record<string, unknown>, path: Path): void {
  const { problems, names } = check;
  check.conditions += 1;
  refuseOthers(check, condition, path, ['field', 'op', 'value']);
  const { field: name, op, value } = condition;
  const field = typeof name === 'string' ? check.fieldNamed(name) : null;
  if (!field) {
    const message = `Must be one of ${names.join(', ')}.`;
    problems.push({ path: [...path, 'field'], rule: 'unknown', allowed: names, message });
    return;
  }
  const allowed: readonly string[] = OPS[field.kind];
  if (typeof op !== 'string' || !allowed.includes(op)) {
    const message = `Must be one of ${allowed.join(', ')} for ${String(name)}.`;
    problems.push({ path: [...path, 'op'], rule: 'enum', allowed, message });
    return;
  }
  problems.push(...valueProblems({ field, op: op as Op, value, path: [...path, 'value'] }));
}

function refuseOthers(
  { problems }: Check,
  record: Record<string, unknown>,
  path: Path,
  known: readonly string[],
): void {
  for (const key of Object.keys(record)) {
    if (known.includes(key)) continue;
    const message = `Only ${known.join(', ')} may stand here.`;
    problems.push({ path: [...path, key], rule: 'unknown_field', message });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
