import { readFileSync } from 'node:fs';
import { CommandError } from './output.ts';

const STANDARD_INPUT = 0;

/** `-` stands for standard input. */
function read<T>(file: string, as: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8'));
  } catch (error) {
    const what = file === '-' ? 'Standard input' : file;
    throw new CommandError(`${what} cannot be read${as}: ${(error as Error).message}`);
  }
}

/** The text of a file that a command was given, without blanks around it. Throws a `CommandError`. */
export const readText = (file: string): string => read(file, '', (text) => text.trim());

/** The text of a file with its blanks, but for the end of its line: a password. Throws a `CommandError`. */
export const readLine = (file: string): string =>
  read(file, '', (text) => text.replace(/\r?\n$/, ''));

/** The JSON in it. Throws a `CommandError`. */
export const readJson = (file: string): unknown => read(file, ' as JSON', JSON.parse);
