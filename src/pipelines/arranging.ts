import { requirePermission } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import { automationsNaming } from '../automated/references.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound, refuseUsed, validation } from '../errors.ts';
import { segmentsNaming } from '../segments/naming.ts';
import { getPipeline } from './reading.ts';
import { type StageKind, stageProblems } from './rules.ts';
import type { PipelineView } from './schema.ts';

export interface Stage {
  readonly id: string;
  readonly name: string;
  readonly kind: StageKind;
}

/** How the audit log shows a stage. */
export const shown = ({ name, kind }: Pick<Stage, 'name' | 'kind'>): string => `${name}:${kind}`;

export interface Arrangement {
  readonly pipelineId: string;
  /** Returns the stages as they should be, in order. */
  readonly change: (stages: readonly Stage[]) => readonly Stage[];
  /** A stage to be removed; 409 `in_use` while anything refers to it. */
  readonly removed?: string;
}

/**
 * Changes the stages of a pipeline, one change at a time: the new order is checked as a whole and written without
 * gaps.
 */
export async function arrange(
  ctx: Context,
  { pipelineId, change, removed }: Arrangement,
): Promise<PipelineView> {
  requirePermission(ctx.actor, 'pipelines.manage');
  return transact(ctx, async (tx) => {
    const { name, stages } = await lockPipeline(tx, pipelineId, 'update');
    const arranged = change(stages);
    requireOrder(arranged);
    if (sameStages(stages, arranged)) return getPipeline(tx, pipelineId);
    if (removed !== undefined) await removeUnused(tx, removed);
    await writeStages(tx, pipelineId, arranged);
    await audit(tx, {
      action: 'pipeline.stages_changed',
      target: { type: 'pipeline', id: pipelineId, name },
      changes: changesBetween({ stages: stages.map(shown) }, { stages: arranged.map(shown) }),
    });
    return getPipeline(tx, pipelineId);
  });
}

const sameStages = (before: readonly Stage[], after: readonly Stage[]): boolean =>
  before.length === after.length &&
  before.every(({ id, name }, n) => id === after[n]?.id && name === after[n]?.name);

/** Throws 422 unless open stages come first and the rules of `stageProblems` hold. */
export function requireOrder(stages: readonly Pick<Stage, 'kind'>[]): void {
  const problems = stageProblems(stages.map(({ kind }) => kind));
  if (problems.length > 0) throw validation(problems);
}

/** Positions count from 0. */
export const writeStages = (
  tx: Context,
  pipelineId: string,
  stages: readonly Stage[],
): Promise<unknown> =>
  tx.sql.rows(
    `insert into stages (organization_id, id, pipeline_id, name, kind, position, created_at)
     select $1, s.id, $2, s.name, s.kind, s.n - 1, $6
     from unnest($3::text[], $4::text[], $5::text[]) with ordinality as s (id, name, kind, n)
     on conflict (organization_id, id) do update set name = excluded.name, position = excluded.position`,
    [
      tx.organizationId,
      pipelineId,
      stages.map(({ id }) => id),
      stages.map(({ name }) => name),
      stages.map(({ kind }) => kind),
      tx.now,
    ],
  );

async function removeUnused(tx: Context, stageId: string): Promise<void> {
  refuseUsed(
    await usersOf(tx, [stageId]),
    'The stage is in use. Move its deals, and choose another one for its numbers, campaigns, automations and segments.',
  );
  await tx.sql.rows('delete from stages where organization_id = $1 and id = $2', [
    tx.organizationId,
    stageId,
  ]);
}

/**
 * How much is in these stages, or will come there. Call it with their pipeline locked for an `update`, so that no deal enters
 * meanwhile.
 *
 * @param pipelineId counts what names their pipeline as well
 */
export async function usersOf(
  tx: Context,
  stageIds: readonly string[],
  pipelineId?: string,
): Promise<Record<string, number>> {
  const owned = [tx.organizationId, stageIds] as const;
  const used = await first<{ deals: number; numbers: number; campaigns: number }>(
    tx.sql,
    `select (select count(*) from deals where organization_id = $1 and stage_id = any($2::text[])) as deals,
       (select count(*) from numbers where organization_id = $1 and stage_id = any($2::text[])) as numbers,
       (select count(*) from campaigns where organization_id = $1 and stage_ids && $2::text[]
          and status not in ('done', 'cancelled')) as campaigns`,
    owned,
  );
  const named = pipelineId === undefined ? stageIds : [pipelineId, ...stageIds];
  const automations = await automationsNaming(tx, ...named);
  const segments = await segmentsNaming(tx, ...named);
  return { ...used, automations, segments };
}

/**
 * A pipeline, locked until the transaction ends, with its stages by position.
 *
 * @param lock `update` also waits for whoever is writing something that names it or its stages, and holds off others. The
 *   stages follow by their ids, as for a segment that names several: by their positions, which are part of a key, a change of
 *   them would take them in another order
 */
export async function lockPipeline(
  tx: Context,
  id: string,
  lock: 'update' | 'no key update' = 'no key update',
): Promise<{ name: string; stages: Stage[] }> {
  const row = await first<{ name: string }>(
    tx.sql,
    `select name from pipelines where organization_id = $1 and id = $2 for ${lock}`,
    [tx.organizationId, id],
  );
  if (!row) throw notFound('pipeline');
  const stages = await tx.sql.rows<Stage & { readonly position: number }>(
    `select id, name, kind, position from stages where organization_id = $1 and pipeline_id = $2
     order by id ${lock === 'update' ? 'for update' : ''}`,
    [tx.organizationId, id],
  );
  return { name: row.name, stages: stages.toSorted((a, b) => a.position - b.position) };
}
