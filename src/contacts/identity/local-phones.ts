import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { type Phone, parsePhone, phoneKey } from './phones.ts';

const BRAZIL = 'BR';
/** Two digits of area and eight or nine of the line: without the area nobody knows whose it is. */
const BRAZILIAN = /^\d{10,11}$/;

/**
 * A phone as a person of this country writes it, `11 98765-4321`, or with + and any country. A caller
 * of the API must say the country; a person on a page in one country need not (design decisions §3).
 */
export function readLocalPhone(written: string, country: string): Phone | null {
  const text = written.trim();
  if (text.startsWith('+')) return parsePhone(text);
  if (text.length > 40) return null;
  const home: CountryCode = isSupportedCountry(country) ? country : BRAZIL;
  const parsed = parsePhoneNumberFromString(text, home);
  if (!parsed || parsed.ext !== undefined) return null;
  // Old Brazilian mobiles are "invalid" in the tables and yet real.
  const real =
    parsed.country === BRAZIL
      ? BRAZILIAN.test(parsed.nationalNumber) && parsed.isPossible()
      : parsed.isValid();
  return real ? { e164: parsed.number, key: phoneKey(parsed.number) } : null;
}

/** The country in a language tag, `BR` of `pt-BR`; Brazil where it names none. */
export function countryOf(language: string): string {
  try {
    return new Intl.Locale(language).region ?? BRAZIL;
  } catch {
    return BRAZIL;
  }
}
