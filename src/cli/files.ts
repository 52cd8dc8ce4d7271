import { readFileSync } from 'node:fs';
import { CommandError } from './output.ts';

function read<T>(file: string, as: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read${as}: ${(error as Error).message}`);
  }
}

/** The text of a file that a command was given, without blanks around it. Throws a `CommandError`. */
export const readText = (file: string): string => read(file, '', (text) => text.trim());

/** The JSON in it. Throws a `CommandError`. */
export const readJson = (file: string): unknown => read(file, ' as JSON', JSON.parse);
