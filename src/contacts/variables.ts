/**
 * A variable of a text that is filled in for somebody: `{{first_name}}`, `{{custom.city|your city}}`. Its name, then its
 * fallback if it has one (design decisions §6). Blanks around the name are taken off afterwards: a pattern that looked
 * for them would try each way to share them out.
 */
const VARIABLE = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/** The text with a value in place of each variable. */
export const fillVariables = (
  text: string,
  valueFor: (name: string, fallback: string | undefined) => string,
): string =>
  text.replace(VARIABLE, (_, name: string, fallback: string | undefined) =>
    valueFor(name.trim(), fallback),
  );

/** The names of a text's variables, each once. */
export const variablesIn = (text: string): string[] => namesOf([...text.matchAll(VARIABLE)]);

/** Of those without a fallback, each once. */
export const requiredVariables = (text: string): string[] =>
  namesOf([...text.matchAll(VARIABLE)].filter(([, , fallback]) => fallback === undefined));

const namesOf = (found: readonly RegExpExecArray[]): string[] => [
  ...new Set(found.map(([, name = '']) => name.trim())),
];

/**
 * One whose braces are one too few: `{{name}`, `{name}}`. Braces alone, or around anything else, are text. That blanks and
 * a bar end the name keeps it linear, as it does for those below.
 */
const HALF =
  /\{\{\s*([\p{L}\p{N}_.]+)\s*(?:\|[^{}]*)?\}(?!\})|(?<!\{)\{\s*([\p{L}\p{N}_.]+)\s*(?:\|[^{}]*)?\}\}/u
    .source;

/**
 * Finds what a text misspells as a variable, each name once: it would be sent to everybody as it stands. Two braces on one
 * side alone, as `{{first_name, how are you?`, are text unless they stand at the name of one that there is: one of `names`,
 * the source of a pattern.
 */
export function halvesAmong(names: string): (text: string) => string[] {
  const unclosed = `\\{\\{\\s*(${names})(?![\\p{L}\\p{N}_])`;
  const unopened = `(?<![\\p{L}\\p{N}_.])(${names})\\s*(?:\\|[^{}|]*)?\\}\\}`;
  const pattern = new RegExp([VARIABLE.source, HALF, unclosed, unopened].join('|'), 'gu');
  return (text) => [
    ...new Set(
      Array.from(text.matchAll(pattern), ([, , , ...halves]) => halves.find(Boolean) ?? []).flat(),
    ),
  ];
}

/** How it must be written instead. */
export const formOf = (name: string): string =>
  `A variable has two braces on each side: {{${name}}}.`;

/** What a text may say about somebody. */
export interface Named {
  readonly name: string;
  readonly custom: Readonly<Record<string, unknown>>;
}

/** `name`, `first_name` or `custom.<key>`; whatever is stored, which may be nothing. */
export function variableOf(person: Named, name: string): unknown {
  if (name === 'name') return person.name;
  if (name === 'first_name') return person.name.trim().split(/\s+/)[0];
  const key = name.slice('custom.'.length);
  return Object.hasOwn(person.custom, key) ? person.custom[key] : null;
}

/** A value as a text shows it; empty for nothing. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(asText).join(', ') : String(value).trim();
}
