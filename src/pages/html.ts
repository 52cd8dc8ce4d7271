/** Markup that is inserted as it is; everything else is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(textOf).join('') : escaped(String(part));
}

/** A template whose values are escaped, unless they are markup themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((page, string, i) => page + textOf(parts[i - 1] ?? null) + string));

/** The subset of Markdown that descriptions use: paragraphs, `code` and **bold**. */
export const prose = (text: string): Html =>
  new Html(
    text
      .split('\n\n')
      .map((paragraph) => `<p>${inline(paragraph).text.replaceAll('\n', '<br>')}</p>`)
      .join(''),
  );

/** `prose` within a line: `code` and **bold**. */
export const inline = (text: string): Html =>
  new Html(
    escaped(text)
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );
