import { CUSTOM_KEY } from '../../contacts/rules.ts';
import {
  asText,
  fillVariables,
  formOf,
  halvesAmong,
  type Named,
  variableOf,
  variablesIn,
} from '../../contacts/variables.ts';
import type { FieldProblem } from '../../errors.ts';
import { LONGEST, truncate } from './lengths.ts';

/** In the API's reference. */
export const ABOUT_FREE_TEXT =
  'Free text, never a template: on a number with `capabilities.window_24h`, whoever has not written to it in the last 24 hours is left out (`out_of_window`); groups are not. May contain {{name}}, {{first_name}} and {{custom.key}}; to groups only {{name}}. {{first_name|friend}} says what stands for a missing value; without that, nothing is sent to who has none (`missing_variable`).';

const PERSON = `name|first_name|custom\\.${CUSTOM_KEY}`;

const KNOWN = { person: new RegExp(`^(?:${PERSON})$`), group: /^name$/ } as const;

const HALVES_IN = { person: halvesAmong(PERSON), group: halvesAmong('name') } as const;

const THERE_ARE = { person: ['name', 'first_name', 'custom.<key>'], group: ['name'] } as const;

/**
 * Variables that no recipient has (design decisions §6), or that are not written as one; refused when the text is saved.
 * A group has a name, and nothing else that a text could use.
 */
export const variableProblems = (
  text: string,
  of: keyof typeof KNOWN = 'person',
): FieldProblem[] => [
  ...variablesIn(text)
    .filter((name) => !KNOWN[of].test(name))
    .map((name) => ({
      path: 'text',
      rule: 'unknown_variable',
      which: [name],
      allowed: THERE_ARE[of],
      message: `There is no variable {{${name}}}${of === 'group' ? ' of a group' : ''}.`,
    })),
  ...HALVES_IN[of](text).map((name) => ({
    path: 'text',
    rule: 'variable_form',
    which: [name],
    message: formOf(name),
  })),
];

/**
 * The variables of a text that would be empty without them, so that at least one must have a value; otherwise none.
 */
export function wordsFrom(text: string): string[] {
  const alone = fillVariables(text, (_, fallback = '') => fallback);
  return alone.trim() === '' ? variablesIn(text) : [];
}

/**
 * The text for one person, at most as long as WhatsApp accepts; null if a value is missing without a fallback, or if
 * nothing is left to say.
 */
export function render(text: string, person: Named): string | null {
  let missing = false;
  const rendered = fillVariables(text, (name, fallback) => {
    const value = asText(variableOf(person, name)) || fallback?.trim();
    if (value === undefined) missing = true;
    return value ?? '';
  });
  return missing || rendered.trim() === '' ? null : truncate(rendered, LONGEST.text);
}
