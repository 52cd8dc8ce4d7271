import type { FieldProblem } from '../errors.ts';
import { unknownVariables } from './variables.ts';

interface Target {
  readonly target: 'segment' | 'contacts' | 'groups';
  readonly segment_id: string | null;
  readonly contact_ids: readonly string[];
  readonly group_ids: readonly string[];
}

const EMPTY = 'Must be empty for this target.';

/**
 * A target goes with its own list and no other. Segments and groups are refused by name until the
 * workspace can have them: a campaign to nobody would look like one that worked.
 */
export function targetProblems(input: Target): FieldProblem[] {
  if (input.target !== 'contacts') {
    const message = `Campaigns to ${input.target === 'segment' ? 'a segment' : 'groups'} are not available yet.`;
    return [{ path: 'target', rule: 'not_available', allowed: ['contacts'], message }];
  }
  const problems: FieldProblem[] = [];
  if (input.contact_ids.length === 0) {
    const message = 'Give at least one contact.';
    problems.push({ path: 'contact_ids', rule: 'min_items', limit: 1, message });
  }
  if (input.segment_id !== null) {
    problems.push({ path: 'segment_id', rule: 'not_applicable', message: EMPTY });
  }
  if (input.group_ids.length > 0) {
    problems.push({ path: 'group_ids', rule: 'not_applicable', message: EMPTY });
  }
  return problems;
}

export function contentProblems({ text }: { readonly text: string }): FieldProblem[] {
  return unknownVariables(text).map((name) => ({
    path: 'text',
    rule: 'unknown_variable',
    allowed: ['name', 'first_name', 'custom.<key>'],
    message: `There is no variable {{${name}}}.`,
  }));
}
