/** What a spreadsheet would read as a formula; a leading apostrophe keeps it a text. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/** A phone or a plain number, which spreadsheets read correctly. */
const HARMLESS = /^[+-]?[\d.,]+$/;

const isFormula = (text: string): boolean => FORMULA.test(text) && !HARMLESS.test(text);

const cell = (value: string | number | null): string => {
  const text = String(value ?? '');
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** One line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cell).join(',')}\r\n`;

/** The first line of a CSV file. It begins with a byte order mark, without which Excel takes UTF-8 for something else. */
export const csvHead = (columns: readonly string[]): string => `\uFEFF${csvLine(columns)}`;

/** A cell as it was before `csvLine` kept it from being a formula. */
export const plainCell = (text: string): string =>
  text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text;
