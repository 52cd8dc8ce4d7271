import { CUSTOM_KEY } from '../../contacts/rules.ts';
import { cut, LONGEST } from '../../conversations/sending/lengths.ts';

/** What a text may say about its recipient. */
export interface Person {
  readonly name: string;
  readonly custom: Readonly<Record<string, unknown>>;
}

const VARIABLE = /\{\{\s*([^{}|]*?)\s*(?:\|([^{}]*))?\}\}/g;
const KNOWN = {
  person: new RegExp(`^(?:name|first_name|custom\\.${CUSTOM_KEY})$`),
  group: /^name$/,
} as const;

/** Variables that no recipient has, as written (design decisions §6); refused when the campaign is created. */
export function unknownVariables(text: string, of: keyof typeof KNOWN = 'person'): string[] {
  const names = [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
  return [...new Set(names.filter((name) => !KNOWN[of].test(name)))];
}

/** Variables without which the text cannot be sent to someone: those without a fallback. */
export function requiredVariables(text: string): string[] {
  const required = [...text.matchAll(VARIABLE)].filter(([, , fallback]) => fallback === undefined);
  return [...new Set(required.map(([, name = '']) => name))];
}

/**
 * The variables of a text that would be empty without them, so that at least one must have a value; otherwise none.
 */
export function wordsFrom(text: string): string[] {
  const alone = text.replace(VARIABLE, (_, __, fallback = '') => fallback);
  return alone.trim() === '' ? [...text.matchAll(VARIABLE)].map(([, name = '']) => name) : [];
}

/**
 * The text for one person, at most as long as WhatsApp accepts; null if a value is missing without a fallback, or if
 * nothing is left to say.
 */
export function render(text: string, person: Person): string | null {
  let missing = false;
  const rendered = text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = variable(name, person) || fallback?.trim();
    if (value === undefined) missing = true;
    return value ?? '';
  });
  return missing || rendered.trim() === '' ? null : cut(rendered, LONGEST.text);
}

function variable(name: string, person: Person): string {
  if (name === 'name') return person.name.trim();
  if (name === 'first_name') return person.name.trim().split(/\s+/)[0] ?? '';
  const key = name.slice('custom.'.length);
  return Object.hasOwn(person.custom, key) ? asText(person.custom[key]) : '';
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(asText).join(', ') : String(value).trim();
}
