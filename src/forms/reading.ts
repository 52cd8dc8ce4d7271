import { countryOf } from '../contacts/identity/local-phones.ts';

/** What answers depend on: the language and place in which they are written. */
export interface Reading {
  /** Whether 1.234,56 is written there, not 1,234.56. */
  readonly decimalComma: boolean;
  /** Whether 31/12/2026 is written there. */
  readonly dayFirst: boolean;
  /** The country of phones given without one; null where all must name theirs. */
  readonly country: string | null;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * How people write in a language, which may name a country: `es-AR` writes 1.234,56 and `es-MX` 1,234.56. One that is not
 * known is read as English.
 */
export function readingIn(language: string, today: string): Reading {
  const known = [language, 'en'];
  const number = new Intl.NumberFormat(known).formatToParts(1.5);
  const date = new Intl.DateTimeFormat(known).formatToParts().map(({ type }) => type);
  return {
    decimalComma: number.some(({ type, value }) => type === 'decimal' && value === ','),
    dayFirst: date.indexOf('day') < date.indexOf('month'),
    country: countryOf(language),
    today,
  };
}
