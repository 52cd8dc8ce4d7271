import fs from 'node:fs';

/** Writes the value for its owner alone. The file gets its name only once it is whole: a kill leaves no half of it. */
export function writeJsonFile(file: string, value: unknown): void {
  const partial = `${file}.${process.pid}`;
  fs.writeFileSync(partial, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(partial, file);
}
