import type { Command } from 'commander';
import {
  addStage,
  createPipeline,
  moveStage,
  removeStage,
  renamePipeline,
  renameStage,
} from '../../pipelines/managing.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import type { StageKind } from '../../pipelines/rules.ts';
import { CommandError, table, wholeNumber } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

type Pipeline = Awaited<ReturnType<typeof createPipeline>>;

/** `wms pipeline`: changes pipelines and stages, which the API only shows. */
export function pipelineCommands(program: Command): void {
  const pipeline = program.command('pipeline').description('pipelines of deals and their stages');
  const add = (usage: string, description: string): Command =>
    aboutWorkspace(pipeline, usage, description);
  add('create', 'create a pipeline')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--stages <stages>', 'in order: Novo:open,Ganho:won,Perdido:lost')
    .action((options: WorkspaceOptions & { name: string; stages: string }) =>
      perform(
        options,
        (ctx) => createPipeline(ctx, { name: options.name, stages: readStages(options.stages) }),
        describe,
      ),
    );
  add('list', 'list the pipelines, newest first').action((options: WorkspaceOptions) =>
    perform(
      options,
      (ctx) => all(ctx, listPipelines),
      (pipelines) => pipelines.flatMap(describe),
    ),
  );
  add('rename <pipeline>', 'give a pipeline another name')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .action((id: string, options: WorkspaceOptions & { name: string }) =>
      perform(options, (ctx) => renamePipeline(ctx, id, options.name), describe),
    );
  add('add-stage <pipeline>', 'add a stage')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--kind <kind>', 'open, won or lost')
    .option('--position <n>', 'counted from 0; behind its own kind without it', wholeNumber)
    .action(
      (id: string, options: WorkspaceOptions & { name: string; kind: string; position?: number }) =>
        perform(
          options,
          (ctx) =>
            addStage(ctx, id, {
              name: options.name,
              kind: readKind(options.kind),
              ...(options.position === undefined ? {} : { position: options.position }),
            }),
          describe,
        ),
    );
  add('rename-stage <stage>', 'give a stage another name')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .action((id: string, options: WorkspaceOptions & { name: string }) =>
      perform(options, (ctx) => renameStage(ctx, id, options.name), describe),
    );
  add('move-stage <stage>', 'give a stage another place')
    .requiredOption('--position <n>', 'counted from 0', wholeNumber)
    .action((id: string, options: WorkspaceOptions & { position: number }) =>
      perform(options, (ctx) => moveStage(ctx, id, options.position), describe),
    );
  add('remove-stage <stage>', 'remove a stage that no deal is in').action(
    (id: string, options: WorkspaceOptions) =>
      perform(options, (ctx) => removeStage(ctx, id), describe),
  );
}

const describe = ({ id, name, stages }: Pipeline): string[] => [
  `pipeline ${id} ${name}`,
  ...table(stages.map((stage) => ['', String(stage.position), stage.id, stage.kind, stage.name])),
];

/** `Novo:open,Ganho:won`. A name may contain colons; the last one ends it. */
const readStages = (written: string): { name: string; kind: StageKind }[] =>
  written.split(',').map((part) => {
    const at = part.lastIndexOf(':');
    if (at === -1) throw new CommandError(`Write each stage as name:kind, not ${part}.`);
    return { name: part.slice(0, at).trim(), kind: readKind(part.slice(at + 1).trim()) };
  });

/** The use case refuses an unknown kind. */
const readKind = (written: string): StageKind => written as StageKind;
