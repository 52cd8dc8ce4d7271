import { expect } from '@jest/globals';
import type { Fields } from './scene.ts';

const CONTROL =
  /<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"[^>]*>|<textarea[^>]* name="([^"]+)"[^>]*>\n?([^<]*)<|<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g;

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** What a browser sends of the page's first form with this action, as it was shown. */
export function formIn(page: string, action: string): Fields {
  const forms = page.match(/<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((one) => one.includes(`name="action" value="${action}"`));
  expect([action, form]).toEqual([action, expect.any(String)]);
  const fields = [...(form ?? '').matchAll(CONTROL)].flatMap((found) => {
    const [control, one, value, area, text, select, options] = found;
    if (/type="(radio|checkbox)"/.test(control) && !/ checked/.test(control)) return [];
    if (area !== undefined) return [[area, text ?? '']];
    if (select !== undefined) return [[select, chosenIn(options ?? '')]];
    return [[one, value ?? '']];
  });
  return Object.fromEntries(fields.map(([name, value]) => [name, unescaped(value ?? '')]));
}

const chosenIn = (options: string): string =>
  (/value="([^"]*)"[^>]* selected/.exec(options) ?? /value="([^"]*)"/.exec(options))?.[1] ?? '';
