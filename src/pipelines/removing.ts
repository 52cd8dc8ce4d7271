import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { refuseUsed } from '../errors.ts';
import { lockPipeline, usersOf } from './arranging.ts';

/**
 * Removes a pipeline with its stages. Throws 403, 404, and 409 `in_use` while there are deals in it, or a number, an automation or
 * a segment names it; and for one that a campaign was ever sent to, whose record says so.
 */
export const removePipeline = (ctx: Context, id: string): Promise<void> => {
  requirePermission(ctx.actor, 'pipelines.manage');
  return transact(ctx, async (tx) => {
    const owned = [tx.organizationId, id] as const;
    const { name, stages } = await lockPipeline(tx, id, 'update');
    const stageIds = stages.map((stage) => stage.id);
    const sent = await first<{ campaigns: number }>(
      tx.sql,
      'select count(*) as campaigns from campaigns where organization_id = $1 and pipeline_id = $2',
      owned,
    );
    const usedBy = {
      ...(await usersOf(tx, stageIds, id)),
      campaigns: sent?.campaigns ?? 0,
    };
    refuseUsed(
      usedBy,
      'The pipeline is in use. Delete or move what is in it and what names it first.',
    );
    await tx.sql.rows('delete from pipelines where organization_id = $1 and id = $2', owned);
    await audit(tx, { action: 'pipeline.removed', target: { type: 'pipeline', id, name } });
  });
};
