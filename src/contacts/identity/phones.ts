import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** A phone as it is kept, and what it is found again by. */
export interface Phone {
  readonly e164: string;
  /** Equal for the ways one line is written: Brazil's mobiles with and without the ninth digit. */
  readonly key: string;
}

/** The specification's limit for what a caller may write. */
const MAX_WRITTEN = 40;

/**
 * Reads an international number (`+55 11 98765-4321`), or answers null.
 *
 * Without `+` a number has no country, and guessing one would message a stranger. Possible is asked, not
 * valid: old Brazilian mobiles are "invalid" in the tables and yet real (design, dependencies).
 */
export function parsePhone(written: string): Phone | null {
  const text = written.trim();
  if (!text.startsWith('+') || text.length > MAX_WRITTEN) return null;
  const parsed = parsePhoneNumberFromString(text);
  if (!parsed?.isPossible() || parsed.ext !== undefined) return null;
  return { e164: parsed.number, key: phoneKey(parsed.number) };
}

/** +55, two digits of area, the ninth digit, and eight that a landline could not have. */
const BRAZIL_MOBILE = /^\+55(\d{2})9([016-9]\d{7})$/;

/**
 * The match key of an E.164 number (design decisions §12). The ninth digit is dropped where the rest was a
 * mobile without it; eight digits that begin with 2 to 5 are a landline, which is somebody else's.
 */
export const phoneKey = (e164: string): string => e164.replace(BRAZIL_MOBILE, '+55$1$2');
