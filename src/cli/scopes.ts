import { type Command, Option } from 'commander';

export interface ScopeOptions {
  readonly scopes: readonly string[];
}

/** Takes scopes however they are written: by either name of the option, apart by commas or by blanks. */
export const scopesOption = (command: Command, description: string): Command =>
  command.addOption(
    new Option('--scope, --scopes <scopes...>', description)
      .argParser(collect)
      .makeOptionMandatory(),
  );

const collect = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...given.split(/[\s,]+/).filter((scope) => scope !== ''),
];
