import type { FieldProblem } from '../errors.ts';
import { isBlank } from '../http/fields.ts';

/** Whether a name reads as it is written: no characters that hide, reorder or break text, and not all invisible. */
export const isPrintable = (name: string): boolean =>
  /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u.test(name) && !isBlank(name);

/** What is wrong with the name of an app or a key, by which strangers, lists and the audit log know it. */
export function nameProblems(name: string, max: number): FieldProblem[] {
  if (name === '' || [...name].length > max) {
    const message = `Give a name of 1 to ${max} characters.`;
    return [{ path: 'name', rule: 'length', limit: max, message }];
  }
  if (isPrintable(name)) return [];
  const message = 'The name has characters that cannot be seen.';
  return [{ path: 'name', rule: 'characters', message }];
}
