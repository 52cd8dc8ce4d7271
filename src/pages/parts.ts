import { type Html, html } from './html.ts';

type Cell = Html | string | number | null;

/** Text in cells is escaped; null is an empty cell. */
export interface Table {
  /** Read out before the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Shown instead of a table without rows. */
  readonly none?: string;
}

/** On a narrow screen each cell shows its column's name, and a row becomes a card. */
export function table({ caption, columns, rows, none }: Table): Html {
  if (none !== undefined && rows.length === 0) return emptyState(none);
  return html`<div class="table"><table><caption class="unseen">${caption}</caption><thead><tr>${columns.map(
    (name) => html`<th scope="col">${name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, i) => html`<td data-label="${columns[i] ?? ''}">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** A word for a status; colour is never the only sign. */
export const badge = (text: string, tone: Tone = 'plain'): Html =>
  html`<span class="badge ${tone}">${text}</span>`;

/** Says what was done, or something important before anything is done. */
export const notice = (content: Html | string, tone: Tone = 'good'): Html =>
  html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${content}</div>`;

/** Names and values. */
export const definitions = (
  pairs: readonly (readonly [name: Html | string, value: Cell])[],
): Html =>
  html`<dl class="facts">${pairs.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

/** One thing known of a record. */
export type Fact = readonly [name: Html | string, value: Html | string | null | undefined];

/** What is known of a record: `definitions` of the facts that have a value. */
export const knownFacts = (facts: readonly Fact[]): Html =>
  definitions(facts.flatMap(([name, value]) => (value ? [[name, value] as const] : [])));

/** Shown instead of an empty list. */
export const emptyState = (text: string): Html => html`<div class="empty"><p>${text}</p></div>`;

/** A few big figures. */
export const figures = (
  items: readonly { readonly name: string; readonly value: string; readonly note?: string }[],
): Html =>
  html`<dl class="figures">${items.map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd>${value}${note ? html`<small>${note}</small>` : null}</dd></div>`,
  )}</dl>`;

interface Disclosing {
  readonly danger?: boolean;
  /** Shown open because a form in it was refused. */
  readonly open?: boolean;
}

/** A dialog without a script: the button opens it in place. */
export const disclosure = (
  label: Cell,
  content: Html,
  { danger = false, open = false }: Disclosing = {},
): Html =>
  html`<details class="disclosure${danger ? ' danger' : ''}"${open ? html` open` : null}><summary>${label}</summary><div class="card">${content}</div></details>`;

/** What a button or disclosure in a row does, with the row's name for those who do not see the row. */
export const named = (text: string, name: string): Html =>
  html`${text}<span class="unseen"> ${name}</span>`;

/**
 * A link that looks like a button.
 *
 * @param quiet without colour: not the main action
 */
export const linkButton = (href: string, label: string, quiet = false): Html =>
  html`<a class="button${quiet ? ' quiet' : ''}" href="${href}">${label}</a>`;

/** Machine-readable names, as a list in one line. */
export const codes = (names: readonly string[]): Html =>
  html`${names.map((name, i) => html`${i > 0 ? ', ' : null}<code>${name}</code>`)}`;

/** Text to be copied. */
export const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>`;

interface Bar {
  readonly label: string;
  readonly value: number;
  /** As it is shown: `1,250`. */
  readonly text: string;
}

interface ChartTable {
  readonly columns: readonly [string, string];
  /** What opens it. */
  readonly asTable: string;
}

const WIDTH = 640;
const HEIGHT = 160;
const GAP = 4;

/** A bar chart. The same figures are in a table below it, which screen readers read. */
export function barChart(
  title: string,
  bars: readonly Bar[],
  { columns, asTable }: ChartTable,
): Html {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(1, bars.length);
  const drawn = bars.map(({ label, value, text }, i) => {
    const height = Math.round((value / most) * HEIGHT * 10) / 10;
    const x = Math.round((i * step + GAP / 2) * 10) / 10;
    const width = Math.max(1, Math.round((step - GAP) * 10) / 10);
    return html`<rect x="${x}" y="${HEIGHT - height}" width="${width}" height="${height}"><title>${label}: ${text}</title></rect>`;
  });
  const rows = bars.map(({ label, text }) => [label, text]);
  const highest = bars.find(({ value }) => value === most)?.text ?? '';
  const ends = html`<p class="ends" aria-hidden="true"><span>${bars[0]?.label ?? ''}</span><span>${bars.at(-1)?.label ?? ''}</span></p>`;
  return html`<figure class="chart"><figcaption>${title}</figcaption><p class="most" aria-hidden="true">${highest}</p><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" preserveAspectRatio="none">${drawn}</svg>${ends}<details><summary>${asTable}</summary>${table({ caption: title, columns, rows })}</details></figure>`;
}
