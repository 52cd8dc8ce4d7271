import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { inWorkspace } from '../../db/database.ts';
import { listSegments } from '../../segments/reading.ts';
import { createSegment, requireRules } from '../../segments/service.ts';
import { CommandError, createOutput, table } from '../output.ts';
import { withSession } from '../session.ts';

interface Create {
  readonly workspace: string;
  readonly name: string;
  readonly file: string;
  readonly json?: boolean;
}

interface List {
  readonly workspace: string;
  readonly json?: boolean;
}

const SHOWN = 100;

/** `wms segment`. The file contains only the rules. */
export function segmentCommands(program: Command): void {
  const segment = program.command('segment').description('segments: contacts that match rules');
  segment
    .command('create')
    .description('make a segment; the file holds its rules as JSON')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--name <name>', 'name, 1 to 80 characters')
    .requiredOption(
      '--file <file>',
      'the rules: {"all":[…]}, {"any":[…]}, {"not":…} or a condition',
    )
    .option('--json', 'print one JSON document')
    .action((options: Create) =>
      withSession(async (session) => {
        const ctx = await session.contextFor(options.workspace);
        const rules = requireRules(readRules(options.file));
        const { id, count } = await createSegment(ctx, { name: nameOf(options), rules });
        createOutput(options.json ?? false).result({ id, count }, [
          `segment ${id}`,
          `${count} ${count === 1 ? 'contact matches' : 'contacts match'} now`,
        ]);
      }),
    );
  segment
    .command('list')
    .description(`the newest ${SHOWN} segments`)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--json', 'print one JSON document')
    .action((options: List) =>
      withSession(async (session) => {
        const ctx = await session.contextFor(options.workspace);
        const { data } = await inWorkspace(session.database, ctx.organizationId, (sql) =>
          listSegments({ ...ctx, sql }, { limit: SHOWN, after: null }),
        );
        createOutput(options.json ?? false).result(
          data,
          table(data.map(({ id, name, count }) => [id, name, `${count ?? '?'} contacts`])),
        );
      }),
    );
}

function nameOf({ name }: Create): string {
  const length = [...name].length;
  if (length >= 1 && length <= 80) return name;
  throw new CommandError('--name must have 1 to 80 characters.');
}

function readRules(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
