/** How a command speaks: one JSON document with `--json`, else sentences for people. */
export interface Output {
  /** The command's answer: `human` lines on a terminal, `result` as JSON. */
  result(result: unknown, human: readonly string[]): void;
  /** A passing remark on the way; silent with `--json`. */
  progress(line: string): void;
}

/** @param json one JSON document and nothing else: progress is left out */
export const createOutput = (json: boolean): Output => ({
  result: (result, human) => console.log(json ? JSON.stringify(result) : human.join('\n')),
  progress: (line) => {
    if (!json) console.log(line);
  },
});

/** What went wrong and what to do about it; ends the command with exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** A setting that may be off, which is null. What is no number is refused by whoever takes it. */
export const numberOrOff = (given: string): number | null =>
  given === 'off' ? null : Number(given);

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
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
