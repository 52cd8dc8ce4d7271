import { type Command, Option } from 'commander';
import { readLine } from './files.ts';

/** A command that takes a password from a file, so that it does not appear in process lists; or in words, for laptops. */
export function passwordOptions(command: Command, name: string, whose: string): Command {
  const file = new Option(
    `--${name}-file <file>`,
    `a file that holds ${whose}; - is standard input`,
  );
  const words = new Option(`--${name} <password>`, 'in words, which others may see in ps and logs');
  return command.addOption(file).addOption(words.conflicts(file.attributeName()));
}

/** The password that was given in either way. */
export const passwordOf = (
  words: string | undefined,
  file: string | undefined,
): string | undefined => (file === undefined ? words : readLine(file));
