import { requirePermission } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { advisoryLock } from '../db/advisory-locks.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { arrange, lockPipeline, requireOrder, shown, writeStages } from './arranging.ts';
import { getPipeline } from './reading.ts';
import { movedTo, placeFor } from './rules.ts';
import {
  type NewPipeline,
  type NewStage,
  newName,
  newPipeline,
  newPlace,
  newStage,
  type PipelineView,
} from './schema.ts';

// Arranging pipelines needs `pipelines.manage`, which no scope of the specification grants, so only the command line
// and the console offer it.

/** Throws 409 `duplicate` for a name in use, and 422 for stages in a wrong order. */
export async function createPipeline(ctx: Context, input: NewPipeline): Promise<PipelineView> {
  requirePermission(ctx.actor, 'pipelines.manage');
  const { name, stages } = guard(newPipeline, input);
  requireOrder(stages);
  return transact(ctx, async (tx) => {
    const id = newId('pip');
    await refuseTakenName(tx, id, name);
    await tx.sql.rows(
      'insert into pipelines (organization_id, id, name, created_at) values ($1, $2, $3, $4)',
      [tx.organizationId, id, name, tx.now],
    );
    const own = stages.map((stage) => ({ ...stage, id: newId('stg') }));
    await writeStages(tx, id, own);
    await audit(tx, {
      action: 'pipeline.created',
      target: { type: 'pipeline', id, name },
      changes: [{ field: 'stages', from: null, to: stages.map(shown) }],
    });
    return getPipeline(tx, id);
  });
}

/** Throws 403, 404, 409 if another pipeline has the name, and 422. */
export async function renamePipeline(
  ctx: Context,
  id: string,
  input: string,
): Promise<PipelineView> {
  requirePermission(ctx.actor, 'pipelines.manage');
  const { name } = guard(newName, { name: input });
  return transact(ctx, async (tx) => {
    await refuseTakenName(tx, id, name);
    const before = await lockPipeline(tx, id);
    const changes = changesBetween({ name: before.name }, { name });
    if (changes.length === 0) return getPipeline(tx, id);
    await tx.sql.rows('update pipelines set name = $3 where organization_id = $1 and id = $2', [
      tx.organizationId,
      id,
      name,
    ]);
    await audit(tx, {
      action: 'pipeline.renamed',
      target: { type: 'pipeline', id, name },
      changes,
    });
    return getPipeline(tx, id);
  });
}

/** Adds a stage; without a position it comes after the others of its kind. */
export async function addStage(
  ctx: Context,
  pipelineId: string,
  input: NewStage,
): Promise<PipelineView> {
  const { position, ...stage } = guard(newStage, input);
  return arrange(ctx, {
    pipelineId,
    change: (stages) => {
      const kinds = stages.map(({ kind }) => kind);
      const place = position ?? placeFor(kinds, stage.kind);
      return stages.toSpliced(place, 0, { ...stage, id: newId('stg') });
    },
  });
}

/** Throws 403, 404 and 422. */
export async function renameStage(
  ctx: Context,
  stageId: string,
  input: string,
): Promise<PipelineView> {
  const { name } = guard(newName, { name: input });
  return arrange(ctx, {
    pipelineId: await pipelineOf(ctx, stageId),
    change: (stages) => stages.map((stage) => (stage.id === stageId ? { ...stage, name } : stage)),
  });
}

/**
 * @param place counted from 0; anything beyond the end means the end
 */
export async function moveStage(
  ctx: Context,
  stageId: string,
  place: number,
): Promise<PipelineView> {
  const { position } = guard(newPlace, { position: place });
  return arrange(ctx, {
    pipelineId: await pipelineOf(ctx, stageId),
    change: (stages) => {
      const stage = stages.find(({ id }) => id === stageId);
      return stage ? movedTo(stages, stage, position) : stages;
    },
  });
}

/** Throws 409 `in_use` while deals are in it, a number starts people in it, or a campaign, an automation or a segment names it. */
export async function removeStage(ctx: Context, stageId: string): Promise<PipelineView> {
  return arrange(ctx, {
    pipelineId: await pipelineOf(ctx, stageId),
    change: (stages) => stages.filter(({ id }) => id !== stageId),
    removed: stageId,
  });
}

async function pipelineOf(ctx: Context, stageId: string): Promise<string> {
  // The connection is bound to the workspace only inside a transaction.
  const row = await transact(ctx, (tx) =>
    first<{ id: string }>(
      tx.sql,
      'select pipeline_id as id from stages where organization_id = $1 and id = $2',
      [tx.organizationId, stageId],
    ),
  );
  if (!row) throw notFound('stage');
  return row.id;
}

async function refuseTakenName(tx: Context, id: string, name: string): Promise<void> {
  // Checks of names in a workspace happen one at a time; otherwise two concurrent calls could both find a name free.
  await advisoryLock(tx.sql, 'unique', `pipelines:${tx.organizationId}`);
  const taken = await first<{ id: string }>(
    tx.sql,
    'select id from pipelines where organization_id = $1 and lower(name) = lower($2) and id <> $3',
    [tx.organizationId, name, id],
  );
  if (!taken) return;
  throw new AppError('duplicate', 'Another pipeline has this name.', { pipeline_id: taken.id });
}
