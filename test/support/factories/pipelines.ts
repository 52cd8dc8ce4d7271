import type { Context } from '../../../src/context.ts';
import { createPipeline } from '../../../src/pipelines/managing.ts';
import type { StageKind } from '../../../src/pipelines/rules.ts';

const STAGES = 'Novo:open Proposta:open Ganho:won Perdido:lost';

export interface APipeline {
  readonly id: string;
  /** Ids by the stages' names. */
  readonly stages: Readonly<Record<string, string>>;
}

/** Novo and Proposta, open, then Ganho and Perdido, unless told: `Novo:open Ganho:won`. */
export async function aPipeline(
  ctx: Context,
  name = 'Vendas',
  stages: string = STAGES,
): Promise<APipeline> {
  const made = await createPipeline(ctx, {
    name,
    stages: stages.split(' ').map((stage) => {
      const [stageName = '', kind = ''] = stage.split(':');
      return { name: stageName, kind: kind as StageKind };
    }),
  });
  return {
    id: made.id,
    stages: Object.fromEntries(made.stages.map((stage) => [stage.name, stage.id])),
  };
}
