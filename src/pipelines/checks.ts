import { visibleConversations } from '../access/visibility.ts';
import type { Context } from '../context.ts';
import { advisoryLock } from '../db/advisory-locks.ts';
import { binding, first } from '../db/sql.ts';
import { AppError, notFound, validation } from '../errors.ts';
import { type DealRow, holdStage, type StageRow, selectDeal } from './queries.ts';

/** A deal that nobody else moves, changes or deletes meanwhile; 404 for one that the member cannot see. */
export async function lockDeal(tx: Context, id: string): Promise<DealRow> {
  const deal = await selectDeal(tx, id, true);
  if (!deal) throw notFound('deal');
  return deal;
}

/**
 * The stage, protected from removal until the transaction ends; 422 `unknown_stage`, also for one of another
 * pipeline.
 */
export async function requireStage(
  tx: Context,
  stageId: string,
  pipelineId?: string,
): Promise<StageRow> {
  const stage = await holdStage(tx, stageId);
  if (stage && (pipelineId === undefined || stage.pipelineId === pipelineId)) return stage;
  const message =
    pipelineId === undefined
      ? 'There is no such stage.'
      : 'The pipeline of the deal has no such stage.';
  throw new AppError('unknown_stage', message, { stage_id: stageId });
}

/** A conversation of another contact, or one the member cannot see, counts as unknown. */
export async function requireConversation(
  tx: Context,
  conversationId: string | null,
  contactId: string,
): Promise<void> {
  if (conversationId === null) return;
  const { params, bind } = binding(tx.organizationId, conversationId, contactId);
  const visible = visibleConversations(tx.actor, 'c', bind);
  const known = await first(
    tx.sql,
    `select 1 from conversations c
     where c.organization_id = $1 and c.id = $2 and c.contact_id = $3 and ${visible}`,
    params,
  );
  if (known) return;
  throw new AppError('unknown_conversation', 'The contact has no such conversation.', {
    conversation_id: conversationId,
  });
}

/**
 * The contact's open deal in a pipeline, or null. Locks this contact and pipeline until the transaction ends, so that
 * two concurrent calls cannot both find none.
 *
 * @param lock keeps others from moving the deal: whoever is about to move it would open one again that is just being
 *   closed. Without it, a message that comes in need not wait for them.
 */
export async function openDealOf(
  tx: Context,
  contactId: string,
  pipelineId: string,
  { lock }: { readonly lock: boolean },
): Promise<string | null> {
  await advisoryLock(tx.sql, 'unique', `deal:${tx.organizationId}:${contactId}:${pipelineId}`);
  const deal = await first<{ id: string }>(
    tx.sql,
    `select id from deals
     where organization_id = $1 and contact_id = $2 and pipeline_id = $3 and status = 'open'
     order by id limit 1${lock ? ' for update' : ''}`,
    [tx.organizationId, contactId, pipelineId],
  );
  return deal?.id ?? null;
}

/** Only a lost deal has a reason. */
export function refuseReason({ kind }: StageRow, lostReason: string | null | undefined): void {
  if (kind === 'lost' || !lostReason) return;
  const message = 'Only a stage of the kind lost takes a reason.';
  throw validation([{ path: 'lost_reason', rule: 'not_applicable', message }]);
}
