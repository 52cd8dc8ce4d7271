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

/** What is the reader's own, or says what the form does. */
const MARKS: ReadonlySet<string> = new Set(['_csrf', '_showing', 'action']);

const isUnticked = (tag: string): boolean =>
  /^<input[^>]* type="(?:checkbox|radio)"/.test(tag) && !/ checked/.test(tag);

/** What a browser would send of the page's form with this action, if nobody wrote anything in it. */
export function filledIn(page: string, action: string): Fields {
  const forms = page.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((one) => one.includes(`name="action" value="${action}"`)) ?? '';
  const fields = new Map<string, string[]>();
  for (const [, tag = '', written, options = ''] of form.matchAll(CONTROL)) {
    const name = attribute(tag, 'name') ?? '';
    if (MARKS.has(name) || isUnticked(tag)) continue;
    const chosen = /<option value="([^"]*)" selected/.exec(options)?.[1];
    const value = written ?? chosen ?? attribute(tag, 'value') ?? '';
    fields.set(name, [...(fields.get(name) ?? []), unescaped(value)]);
  }
  return Object.fromEntries(
    [...fields].map(([name, all]) => [name, all.length > 1 ? all : (all[0] ?? '')]),
  );
}
