import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type Phone, parsePhone, phoneKey, withoutMarks } from './phones.ts';

const BRAZIL = 'BR';
/** Two digits of area code and eight or nine of the line. Without the area code the number is ambiguous. */
const BRAZILIAN = /^\d{10,11}$/;

/**
 * A phone as someone in this country writes it, `11 98765-4321`, or with `+` and any country; without a known country
 * only the latter. Callers of the API must give the country; people on a page for one country need not (design decisions
 * §3).
 */
export function readLocalPhone(written: string, country: string | null): Phone | null {
  const text = withoutMarks(written);
  if (text.startsWith('+')) return parsePhone(text);
  if (text.length > 40 || country === null || !isSupportedCountry(country)) return null;
  const parsed = parsePhoneNumberFromString(text, country);
  if (!parsed || parsed.ext !== undefined) return null;
  // The library's tables call old Brazilian mobiles invalid, although they exist.
  const real =
    parsed.country === BRAZIL
      ? BRAZILIAN.test(parsed.nationalNumber) && parsed.isPossible()
      : parsed.isValid();
  return real ? { e164: parsed.number, key: phoneKey(parsed.number) } : null;
}

/**
 * The country in a language tag, such as `BR` in `pt-BR`. Portuguese alone, and what cannot be read, is Brazil's; another
 * language alone tells no country, and null is better than guessing one: its phones would be other people's.
 */
export function countryOf(tag: string): string | null {
  try {
    const { language, region } = new Intl.Locale(tag);
    return region ?? (language === 'pt' ? BRAZIL : null);
  } catch {
    return BRAZIL;
  }
}
