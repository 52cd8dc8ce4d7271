import { describe, expect, it } from '@jest/globals';
import { findIssues } from '../../src/automations/issues/issues.ts';
import { readNewAutomation } from '../../src/automations/service.ts';
import { AppError } from '../../src/errors.ts';
import { EVERYTHING } from './support/definitions.ts';
import { examples } from './support/examples.ts';

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '__proto__',
  'constructor',
  '{{constructor}}',
  '{{step.__proto__.answer}}',
  'x'.repeat(20_000),
  [],
  [[]],
  {},
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { all: [] },
  { not: { not: { not: { not: { not: {} } } } } },
  { field: 'constructor', op: 'toString', value: 1 },
  { field: 'step.a.constructor', op: 'eq', value: 'x' },
  Array(500).fill({ id: 'a', type: 'end' }),
];

/** Every copy of a value in which one of its parts, at any depth, is another. */
function* mutants(value: unknown): Generator<unknown> {
  yield* HOSTILE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const other of mutants(part)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      Object.defineProperty(copy, key, {
        value: other,
        enumerable: true,
        writable: true,
        configurable: true,
      });
      yield copy;
    }
}

/** One automation for each trigger, and one for each step. */
const automations = [
  ...examples('type').map((trigger) => ({ name: 'A', trigger, steps: [{ id: 'a', type: 'end' }] })),
  ...examples('id').map((step) => ({
    name: 'A',
    trigger: { type: 'manual' },
    entry: { conditions: { any: [{ field: 'name', op: 'eq', value: 'Ana' }] } },
    steps: [step, { id: 'b', type: 'end' }, { id: 'c', type: 'end' }],
  })),
];

/** The automation as it is kept, or null where it is refused with a place and a rule. */
function read(input: unknown): ReturnType<typeof readNewAutomation> | null {
  try {
    return readNewAutomation(input);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    expect(error.details).not.toHaveLength(0);
    return null;
  }
}

describe('any value anywhere in an automation', () => {
  it('is refused by its place, or kept in a form that is read again the same and can be judged', () => {
    const tried = automations.flatMap((automation) => [...mutants(automation)]);
    const kept = tried.map(read).filter((automation) => automation !== null);

    for (const automation of kept) {
      expect(read(JSON.parse(JSON.stringify(automation)))).toEqual(automation);
      expect(Array.isArray(findIssues(automation, EVERYTHING))).toBe(true);
    }
    expect(kept.length).toBeGreaterThan(500);
    expect(tried.length - kept.length).toBeGreaterThan(5_000);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
