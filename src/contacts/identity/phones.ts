import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type FieldProblem, validation } from '../../errors.ts';

/** A phone as it is stored, and the key it is matched by. */
export interface Phone {
  readonly e164: string;
  /** Equal for all ways of writing one line: Brazilian mobiles with and without the ninth digit. */
  readonly key: string;
}

/** The specification's limit on the length of a phone in a request. */
const MAX_WRITTEN = 40;

/**
 * A phone copied from WhatsApp Web or from a list of contacts has invisible characters around it that fix the direction
 * of its text, and some have them in it.
 */
export const withoutMarks = (written: string): string => written.replace(/\p{Cf}/gu, '').trim();

/**
 * Parses an international number (`+55 11 98765-4321`); null if it is none. A number without `+` has no country, and
 * guessing one would message a stranger. The number must be possible, not valid: the tables call old Brazilian
 * mobiles invalid, although they exist (design, dependencies).
 */
export function parsePhone(written: string): Phone | null {
  const text = withoutMarks(written);
  if (!text.startsWith('+') || text.length > MAX_WRITTEN) return null;
  const parsed = parsePhoneNumberFromString(text);
  if (!parsed?.isPossible() || parsed.ext !== undefined) return null;
  return { e164: parsed.number, key: phoneKey(parsed.number) };
}

/** What is said of a phone that cannot be read, in every field of that name. */
export const UNREADABLE_PHONE: FieldProblem = {
  path: 'phone',
  rule: 'format',
  message: 'Write the phone with + and its country code, as +55 11 98765-4321.',
};

/** `parsePhone` for operations about one phone. Throws 422 `validation` at `phone`. */
export function requirePhone(written: string): Phone {
  const phone = parsePhone(written);
  if (!phone) throw validation([UNREADABLE_PHONE]);
  return phone;
}

/** +55, a two-digit area code, the ninth digit, and eight digits that cannot be a landline. */
const BRAZIL_MOBILE = /^\+55(\d{2})9([016-9]\d{7})$/;

/**
 * The match key of an E.164 number (design decisions §12). The ninth digit is dropped if the rest is a mobile number
 * without it; eight digits that begin with 2 to 5 are a landline, which belongs to someone else.
 */
export const phoneKey = (e164: string): string => e164.replace(BRAZIL_MOBILE, '+55$1$2');

/** The E.164 numbers with this match key. */
export const spellingsOf = (key: string): string[] => {
  const ninth = key.replace(/^\+55(\d{2})([016-9]\d{7})$/, (_, area, line) => `+55${area}9${line}`);
  return ninth === key ? [key] : [key, ninth];
};
