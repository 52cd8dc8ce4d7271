import type { Command } from 'commander';
import { migrate } from '../../db/migrate.ts';
import { CommandError, createOutput } from '../output.ts';
import { remedy } from '../remedy.ts';
import { surroundings } from '../session.ts';

/** `wms migrate`: run before a release starts; safe while the previous one still runs (docs/upgrading.md). */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply the migrations that the database lacks')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const { config, databaseUrl } = surroundings();
      if (!databaseUrl)
        throw new CommandError(`No database is known. ${remedy(config, 'DATABASE_URL')}`);
      const applied = await migrate(databaseUrl);
      createOutput(options.json ?? false).result(
        { applied },
        applied.length > 0
          ? applied.map((name) => `applied ${name}`)
          : ['The database is up to date.'],
      );
    });
}
