import { hidden } from '../../pages/fields.ts';
import type { Html } from '../../pages/html.ts';
import { allOf, field, type Page } from '../page.ts';

type Sent = Pick<Page, 'sent'>;

/** The field that holds what the form showed before anybody wrote in it. */
const shownAs = (name: string): string => `shown_${name}`;

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * For a form whose action writes only what was changed in it: the record's other facts may have changed since.
 *
 * @param kept by field; of a list, one entry a line
 * @param wasSent whether what was sent is of this form: of several with one action on a page, that of one
 */
export const asShown = (
  page: Page,
  kept: Readonly<Record<string, string>>,
  wasSent = true,
): Html[] =>
  Object.entries(kept).map(([name, value]) => {
    const before = shownAs(name);
    return hidden(before, wasSent && page.sent.has(before) ? field(page, before) : value);
  });

/** Those of these values in whose fields somebody wrote. */
export const changedIn = <V extends object>(page: Sent, values: V): Partial<V> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => !page.sent.has(shownAs(name)) || field(page, name) !== field(page, shownAs(name)),
    ),
  ) as Partial<V>;

/**
 * A list after what the person added to it and took out of it; undefined if that leaves it as it is.
 *
 * @param stored as it is now, maybe not as the page showed it
 */
export function listAfter(
  page: Sent,
  name: string,
  stored: readonly string[],
): string[] | undefined {
  const before = new Set(linesOf(field(page, shownAs(name))));
  const written = new Set(allOf(page, name).flatMap(linesOf));
  // One stored with blanks around it is shown, and sent back, without them.
  const there = new Set(stored.map((one) => one.trim()));
  const kept = stored.filter((one) => written.has(one.trim()) || !before.has(one.trim()));
  const added = [...written].filter((one) => !before.has(one) && !there.has(one));
  return kept.length === stored.length && added.length === 0 ? undefined : [...kept, ...added];
}
