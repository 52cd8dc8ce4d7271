/** What a spreadsheet would read as a formula; a leading apostrophe keeps it a text. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/** A phone or a plain number, which spreadsheets read correctly. */
const HARMLESS = /^[+-]?[\d.,]+$/;

const cell = (value: string | number | null): string => {
  const text = String(value ?? '');
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** One line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cell).join(',')}\r\n`;
