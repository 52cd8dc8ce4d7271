import type { Command } from 'commander';
import { listSegments } from '../../segments/reading.ts';
import { createSegment, newSegmentOf } from '../../segments/service.ts';
import { readJson } from '../files.ts';
import { table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Create extends WorkspaceOptions {
  readonly name: string;
  readonly file: string;
}

/** `wms segment`. The file contains only the rules. */
export function segmentCommands(program: Command): void {
  const segment = program.command('segment').description('segments: contacts that match rules');
  aboutWorkspace(segment, 'create', 'make a segment; the file holds its rules as JSON')
    .requiredOption('--name <name>', 'name, 1 to 80 characters')
    .requiredOption(
      '--file <file>',
      'the rules: {"all":[…]}, {"any":[…]}, {"not":…} or a condition',
    )
    .action((options: Create) =>
      perform(
        options,
        (ctx) => createSegment(ctx, newSegmentOf(inputOf(options))),
        ({ id, count }) => [
          `segment ${id}`,
          `${count} ${count === 1 ? 'contact matches' : 'contacts match'} now`,
        ],
      ),
    );
  aboutWorkspace(segment, 'list', 'list the segments, newest first').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => all(ctx, listSegments),
        (segments) =>
          table(segments.map(({ id, name, count }) => [id, name, `${count ?? '?'} contacts`])),
      ),
  );
}

const inputOf = ({ name, file }: Create) => ({ name, rules: readJson(file) });
