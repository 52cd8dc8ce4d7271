/**
 * A size that somebody gives a program. One that is no number would compare as false everywhere, and a program that did
 * nothing would find nothing wrong.
 */
export function wholeNumber(option: string, given: string): number {
  if (!/^\d+$/.test(given)) throw new TypeError(`--${option} is a whole number, not "${given}".`);
  return Number(given);
}
