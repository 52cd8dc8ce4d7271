/** What is the record's own, or a machine's, and so the same in every language. */
const AS_IT_IS =
  /<(code|pre|textarea|script|style|title)\b[^>]*>[\s\S]*?<\/\1>|<[^>]* lang="en"[^>]*>[^<]*/g;
const ATTRIBUTES = /(?:aria-label|data-label|title|placeholder|alt)="([^"]*)"/g;
const LETTERS = /\p{L}{2}/u;

/** The words that a person reads on a page: of its elements, and those that are read out. */
export function textsIn(page: string): string[] {
  const ours = page.replaceAll(AS_IT_IS, '');
  const read = [...ours.matchAll(ATTRIBUTES)].map(([, text = '']) => text);
  const shown = ours.replaceAll(/<[^>]*>/g, '\n').split('\n');
  const all = [...shown, ...read].map((text) => text.trim());
  return [...new Set(all.filter((text) => LETTERS.test(text)))];
}
