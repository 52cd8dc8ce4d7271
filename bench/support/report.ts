import os from 'node:os';

/** One figure over all runs, beside its limit and what the bare loop reached. */
export interface Figure {
  readonly what: string;
  readonly values: readonly number[];
  readonly digits?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly bare?: readonly number[];
  /** What somebody else published; it was not run here. */
  readonly quoted?: number;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
};

/** The value that `share` of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** A number as tables have it. */
export const written = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const spread = (values: readonly number[], digits: number): string =>
  values.length < 2
    ? ''
    : `${written(Math.min(...values), digits)} to ${written(Math.max(...values), digits)}`;

function verdict({ values, atLeast, atMost }: Figure): { limit: string; met: boolean | null } {
  const value = median(values);
  if (atLeast !== undefined) return { limit: `at least ${atLeast}`, met: value >= atLeast };
  if (atMost !== undefined) return { limit: `at most ${atMost}`, met: value <= atMost };
  return { limit: '', met: null };
}

function row(figure: Figure): string[] {
  const { what, values, digits = 0, bare, quoted } = figure;
  const { limit, met } = verdict(figure);
  return [
    what,
    written(median(values), digits),
    spread(values, digits),
    limit,
    met === null ? '' : met ? 'met' : 'MISSED',
    bare ? written(median(bare), digits) : '',
    quoted === undefined ? '' : String(quoted),
  ];
}

/** A row of a long measurement, said at once: who ends it early has seen the ones before. */
export function seen(row: string[]): string[] {
  console.log(row.join('; '));
  return row;
}

/** Columns of one width each. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((r) => r[column]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd : cell.padStart).call(cell, widths?.[i] ?? 0)),
  );
  for (const line of lines) console.log(line.join('  ').trimEnd());
}

/** Prints what was measured, when, on which machine, and how busy the machine was otherwise. */
export function printTitle(title: string, elsewhere: readonly number[]): void {
  const load = os.loadavg().map((value) => value.toFixed(1));
  console.log(`\n${title}`);
  console.log(
    `${new Date().toISOString().slice(0, 16)}Z, ${os.availableParallelism()} cores, Node ${process.version}, ` +
      `load average ${load.join(' ')}${elsewhere.length > 0 ? `, other programs kept ${median(elsewhere).toFixed(1)} cores busy` : ''}\n`,
  );
}

/** Prints a table; the figures are medians. Returns whether every limit was met. */
export function report(title: string, figures: readonly Figure[], elsewhere: number[]): boolean {
  const quoted = figures.some((figure) => figure.quoted !== undefined) ? 'quoted' : '';
  printTitle(title, elsewhere);
  printTable([['', 'median', 'spread', 'limit', '', 'bare', quoted], ...figures.map(row)]);
  return figures.every((figure) => verdict(figure).met !== false);
}
