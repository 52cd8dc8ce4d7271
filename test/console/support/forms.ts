import { expect } from '@jest/globals';
import type { Fields } from './scene.ts';

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];

const CONTROL =
  /(<(?:input|textarea|select)\b[^>]*>)(?:\n?([^<]*)<\/textarea>|((?:<option\b[^>]*>[^<]*<\/option>)*)<\/select>)?/g;

const isUnticked = (tag: string): boolean =>
  /^<input[^>]* type="(?:checkbox|radio)"/.test(tag) && !/ checked/.test(tag);

/** Of a choice of which nothing is selected, the first. */
const chosenIn = (options: string): string | undefined =>
  (/<option value="([^"]*)"[^>]* selected/.exec(options) ??
    /<option value="([^"]*)"/.exec(options))?.[1];

/**
 * What a browser sends of the page's first form with this action, as it was shown.
 *
 * @param about what stands in the form, if the page has several with the action
 */
export function formIn(page: string, action: string, about = ''): Fields {
  const forms = page.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const button = new RegExp(`<button[^>]* form="([^"]+)" name="action" value="${action}"`);
  const beside = button.exec(page)?.[1];
  const isMeant = (one: string) =>
    one.includes(beside ? ` id="${beside}"` : `name="action" value="${action}"`) &&
    one.includes(about);
  const within = forms.find(isMeant) ?? '';
  expect([action, within]).not.toEqual([action, '']);
  const id = attribute(/^<form[^>]*>/.exec(within)?.[0] ?? '', 'id');
  const fieldsBeside = id && page.match(new RegExp(`<input[^>]* form="${id}">`, 'g'));
  const form = within + (fieldsBeside || []).join('');
  const fields = new Map<string, string[]>();
  for (const [, tag = '', written, options = ''] of form.matchAll(CONTROL)) {
    const name = attribute(tag, 'name');
    if (name === undefined || isUnticked(tag)) continue;
    const value = written ?? chosenIn(options) ?? attribute(tag, 'value') ?? '';
    fields.set(name, [...(fields.get(name) ?? []), unescaped(value)]);
  }
  return Object.fromEntries(
    [...fields].map(([name, all]) => [name, all.length > 1 ? all : (all[0] ?? '')]),
  );
}

/** What is the reader's own, or says what the form does. */
const MARKS: ReadonlySet<string> = new Set(['_csrf', '_showing', 'action']);

/** The same without what each reader's page has of its own. */
export const filledIn = (page: string, action: string, about = ''): Fields =>
  Object.fromEntries(
    Object.entries(formIn(page, action, about)).filter(([name]) => !MARKS.has(name)),
  );

/** What the page's form carries of the record that it shows: see `asSeen`. */
export const seenIn = (page: string): string => /name="seen" value="([^"]+)"/.exec(page)?.[1] ?? '';
