/** A command's output: one JSON document with `--json`, otherwise sentences for people. */
export interface Output {
  /** The command's result: `human` lines on a terminal, where a list without any says so; `result` as JSON. */
  result(result: unknown, human: readonly string[]): void;
  /** A progress line; nothing with `--json`. */
  progress(line: string): void;
}

const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A line as one line: what people wrote may move the cursor, break or reorder text, and so show something else. Escaped
 * as in JSON, so that a body remains the same document.
 */
export const oneLine = (text: string): string =>
  text.replaceAll(UNSHOWABLE, (char) => char.split('').map(escaped).join(''));

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * @param json one JSON document and nothing else: no progress lines
 */
export const createOutput = (json = false): Output => ({
  result: (result, human) => {
    const lines = human.length === 0 ? ['none'] : human.map(oneLine);
    console.log(json ? JSON.stringify(result) : lines.join('\n'));
  },
  progress: (line) => {
    if (!json) console.log(oneLine(line));
  },
});

/** What went wrong and what to do about it; the command exits with 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/**
 * NaN for anything else, which the use case refuses by the field's name: to `Number` an empty word, as of a shell
 * variable that is not set, is 0.
 */
export const wholeNumber = (given: string): number =>
  /^\d+$/.test(given) ? Number(given) : Number.NaN;

/**
 * The same from 1 on, of an option that no use case reads.
 *
 * @throws CommandError for anything else
 */
export function wholeNumberUpTo(most: number, option: string, given: string): number {
  const number = wholeNumber(given);
  if (number >= 1 && number <= most) return number;
  throw new CommandError(`${option} takes a whole number from 1 to ${most}, not "${given}".`);
}

/** A setting that can be turned off, which is null. */
export const numberOrOff = (given: string): number | null =>
  given === 'off' ? null : wholeNumber(given);

/** `1 number was`, `2 numbers were`. */
export const counted = (count: number, one: string, several: string): string =>
  `${count} ${count === 1 ? one : several}`;

/** Columns padded to their widest cell, as it is shown. */
export function table(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
