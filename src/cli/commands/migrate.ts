import type { Command } from 'commander';
import { migrate } from '../../db/migrate.ts';
import { whyUnusable } from '../../db/unusable.ts';
import { CommandError, createOutput } from '../output.ts';
import { remedy } from '../remedy.ts';
import { surroundings } from '../session.ts';

const BUSY =
  'it was being vacuumed or indexed, and stays slow in large workspaces until wms migrate is run again';

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
      let left: readonly string[] = [];
      const applied = await migrate(databaseUrl, (tables) => {
        left = tables;
      }).catch((error: Error) => {
        const why = whyUnusable(error);
        if (why === undefined) throw error;
        throw new CommandError(
          `The database cannot be used: ${why}. ${remedy(config, 'DATABASE_URL')}`,
        );
      });
      const done = applied.map((name) => `applied ${name}`);
      createOutput(options.json).result({ applied, left_out: left }, [
        ...(done.length > 0 ? done : ['The database is up to date.']),
        ...left.map((table) => `left out ${table}: ${BUSY}`),
      ]);
    });
}
