import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
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
import { CommandError, createOutput, table } from '../output.ts';
import { withSession } from '../session.ts';

interface Common {
  readonly workspace: string;
  readonly json?: boolean;
}

type Pipeline = Awaited<ReturnType<typeof createPipeline>>;

/** `wms pipeline`: changes pipelines and stages, which the API only shows. */
export function pipelineCommands(program: Command): void {
  const pipeline = program.command('pipeline').description('pipelines of deals and their stages');
  const add = (usage: string, description: string): Command =>
    pipeline
      .command(usage)
      .description(description)
      .requiredOption('--workspace <id>', 'the workspace')
      .option('--json', 'print one JSON document');
  add('create', 'create a pipeline')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--stages <stages>', 'in order: Novo:open,Ganho:won,Perdido:lost')
    .action((options: Common & { name: string; stages: string }) =>
      run(options, (ctx) =>
        createPipeline(ctx, { name: options.name, stages: readStages(options.stages) }),
      ),
    );
  add('list', 'list the pipelines, newest first').action(list);
  add('rename <pipeline>', 'give a pipeline another name')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .action((id: string, options: Common & { name: string }) =>
      run(options, (ctx) => renamePipeline(ctx, id, options.name)),
    );
  add('add-stage <pipeline>', 'add a stage')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--kind <kind>', 'open, won or lost')
    .option('--position <n>', 'counted from 0; behind its own kind without it', Number)
    .action((id: string, options: Common & { name: string; kind: string; position?: number }) =>
      run(options, (ctx) =>
        addStage(ctx, id, {
          name: options.name,
          kind: readKind(options.kind),
          ...(options.position === undefined ? {} : { position: options.position }),
        }),
      ),
    );
  add('rename-stage <stage>', 'give a stage another name')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .action((id: string, options: Common & { name: string }) =>
      run(options, (ctx) => renameStage(ctx, id, options.name)),
    );
  add('move-stage <stage>', 'give a stage another place')
    .requiredOption('--position <n>', 'counted from 0', Number)
    .action((id: string, options: Common & { position: number }) =>
      run(options, (ctx) => moveStage(ctx, id, options.position)),
    );
  add('remove-stage <stage>', 'remove a stage that no deal is in').action(
    (id: string, options: Common) => run(options, (ctx) => removeStage(ctx, id)),
  );
}

const run = (options: Common, change: (ctx: Context) => Promise<Pipeline>): Promise<void> =>
  withSession(async (session) => {
    const done = await change(await session.contextFor(options.workspace));
    createOutput(options.json ?? false).result(done, describe(done));
  });

const list = (options: Common): Promise<void> =>
  withSession(async (session) => {
    const ctx = await session.contextFor(options.workspace);
    const { data } = await transact(ctx, (tx) => listPipelines(tx, { limit: 100, after: null }));
    createOutput(options.json ?? false).result(data, data.flatMap(describe));
  });

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
