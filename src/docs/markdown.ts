import { Html, html, inline } from '../pages/html.ts';
import { slugOf } from './layout.ts';

/** Where a link leads on these pages, or null if there is no page for it here. */
export type LinkTo = (target: string) => string | null;

/**
 * The subset of Markdown that our guides use: headings, paragraphs, lists, tables, code blocks; inline `code`,
 * **bold** and links. Headings get the ids that links to them use.
 */
export function markdown(text: string, linkTo: LinkTo): Html[] {
  return blocksOf(text).map((block) => blockHtml(block, linkTo));
}

/** Paragraphs are separated by empty lines; a code block may contain empty lines. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  const open: string[] = [];
  let inCode = false;
  for (const line of [...text.split('\n'), '']) {
    if (line.startsWith('```')) inCode = !inCode;
    if (line !== '' || inCode) open.push(line);
    else if (open.length > 0) blocks.push(open.splice(0).join('\n'));
  }
  return blocks;
}

function blockHtml(block: string, linkTo: LinkTo): Html {
  const lines = block.split('\n');
  const line = (text: string): Html => lineHtml(text, linkTo);
  const [, hashes = '', title = ''] = /^(#{1,3}) (.*)$/.exec(block) ?? [];
  if (title !== '') return headingHtml(hashes.length, line(title), slugOf(title));
  if (block.startsWith('```'))
    return html`<pre tabindex="0"><code>${lines.slice(1, -1).join('\n')}</code></pre>`;
  if (block.startsWith('|')) return tableHtml(lines, line);
  if (/^\d\. /.test(block))
    return html`<ol>${itemsOf(lines, /^\d\. /).map((item) => html`<li>${line(item)}</li>`)}</ol>`;
  if (block.startsWith('- '))
    return html`<ul>${itemsOf(lines, /^- /).map((item) => html`<li>${line(item)}</li>`)}</ul>`;
  return html`<p>${line(lines.join(' '))}</p>`;
}

function headingHtml(level: number, title: Html, slug: string): Html {
  if (level === 1) return html`<h1>${title}</h1>`;
  return level === 2 ? html`<h2 id="${slug}">${title}</h2>` : html`<h3 id="${slug}">${title}</h3>`;
}

/** Lines without a mark continue the item above. */
function itemsOf(lines: readonly string[], mark: RegExp): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) items.push(line.replace(mark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

function tableHtml(lines: readonly string[], line: (text: string) => Html): Html {
  const [head = [], , ...rows] = lines.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  const named = (head.find((cell) => cell !== '') ?? 'Table').replaceAll('`', '');
  return html`<div class="wide" tabindex="0" role="group" aria-label="${named}"><table><thead><tr>${head.map(
    (cell) => (cell === '' ? html`<td></td>` : html`<th scope="col">${line(cell)}</th>`),
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${line(cell)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** A link that leads nowhere here becomes plain text. */
const lineHtml = (text: string, linkTo: LinkTo): Html =>
  new Html(
    inline(text).text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => {
      const href = linkTo(target);
      return href === null ? words : `<a href="${href}">${words}</a>`;
    }),
  );
