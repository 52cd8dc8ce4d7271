import { findIssues, type Known } from '../../../src/automations/issues/issues.ts';
import { readNewAutomation } from '../../../src/automations/service.ts';
import { AppError, type FieldProblem } from '../../../src/errors.ts';

export const END = { id: 'end', type: 'end' };

/** An automation with these steps before its end. */
export const withSteps = (...steps: unknown[]) => ({
  name: 'A',
  trigger: { type: 'manual' },
  steps: [...steps, END],
});

export const withTrigger = (trigger: unknown) => ({ ...withSteps(), trigger });
export const withEntry = (entry: unknown) => ({ ...withSteps(), entry });

/** `path rule` of every problem, or none. */
export function problems(input: unknown): string[] {
  try {
    readNewAutomation(input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details as FieldProblem[]).map(({ path, rule }) => `${path} ${rule}`);
  }
}

export const EVERYTHING: Known = { has: () => true, window: true, templates: [], passed: false };

/** `step code path`, for a definition begun by a message. */
export function issues(
  steps: unknown[],
  { known = EVERYTHING, trigger = { type: 'message_received' } as unknown, entry = {} } = {},
): string[] {
  const {
    name: _name,
    description: _description,
    ...definition
  } = readNewAutomation({
    name: 'A',
    trigger,
    entry,
    steps,
  });
  return findIssues(definition, known).map(({ step_id, code, path }) =>
    [step_id ?? '-', code, path ?? '-'].join(' '),
  );
}
