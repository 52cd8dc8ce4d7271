import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import { type ContactName, requireContact } from '../contacts/known.ts';
import { nameOfContact } from '../contacts/names.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../errors.ts';
import { requireOwner } from '../members/owners.ts';
import { lockDeal, openDealOf, refuseReason, requireConversation, requireStage } from './checks.ts';
import { holdStage } from './queries.ts';
import { getDeal } from './reading.ts';
import { standingIn } from './rules.ts';
import { type DealView, MAX_TITLE, type NewDeal } from './schema.ts';
import { addDeal, announceStage } from './writing.ts';

/**
 * Creates a deal through the API: 422 `unknown_*` for references that do not exist, 409 `duplicate` with
 * `details.deal_id` if the contact already has an open deal in the pipeline and the caller is not a person (design
 * decisions §2).
 */
export const createDeal = (ctx: Context, input: NewDeal): Promise<DealView> =>
  transact(ctx, async (tx) => {
    const stage = await requireStage(tx, input.stage_id);
    refuseReason(stage, input.lost_reason);
    const contact = await requireContact(tx, input.contact_id);
    await requireConversation(tx, input.conversation_id ?? null, input.contact_id);
    await requireOwner(tx, input.owner_id ?? null);
    if (stage.kind === 'open') await refuseSecondOpen(tx, input.contact_id, stage.pipelineId);
    const id = await addDeal(tx, stage, { ...input, title: input.title ?? titleOf(contact) });
    return getDeal(tx, id);
  });

/** Of a deal that was given none. */
const titleOf = (contact: ContactName): string =>
  [...nameOfContact(contact, '')].slice(0, MAX_TITLE).join('');

/** One open deal per contact and pipeline, unless a person decides otherwise. */
async function refuseSecondOpen(tx: Context, contactId: string, pipelineId: string): Promise<void> {
  if (tx.actor.type === 'member') return;
  const open = await openDealOf(tx, contactId, pipelineId, { lock: false });
  if (open === null) return;
  const message = 'The contact has an open deal in this pipeline.';
  throw new AppError('duplicate', message, { deal_id: open });
}

/** Someone who wrote to a number for the first time. */
interface Newcomer {
  /** The number's first stage, if it has one. */
  readonly stageId: string | null;
  readonly contactId: string;
  readonly conversationId: string;
}

/**
 * Puts a person new to a number into the number's first stage, if it has one (design decisions §8), unless they
 * already have an open deal in that pipeline.
 */
export async function placeNewcomer(
  tx: Context,
  { stageId, contactId, conversationId }: Newcomer,
): Promise<void> {
  const stage = stageId === null ? null : await holdStage(tx, stageId);
  if (!stage || (await openDealOf(tx, contactId, stage.pipelineId, { lock: false })) !== null)
    return;
  const title = titleOf(await requireContact(tx, contactId));
  await addDeal(tx, stage, { contact_id: contactId, conversation_id: conversationId, title });
}

export interface Move {
  readonly stage_id: string;
  /** Only for lost stages. */
  readonly lost_reason?: string | null | undefined;
}

/**
 * Moves a deal within its pipeline. Won and lost stages close it, open ones reopen it; moving to the same stage does
 * nothing. Throws 409 `duplicate` if it would become a second open deal and the caller is not a person.
 */
export const moveDeal = (ctx: Context, id: string, move: Move): Promise<DealView> =>
  transact(ctx, async (tx) => {
    const deal = await lockDeal(tx, id);
    const from = await requireStage(tx, deal.stage_id);
    const to = await requireStage(tx, move.stage_id, deal.pipeline_id);
    refuseReason(to, move.lost_reason);
    if (to.kind === 'open' && deal.status !== 'open')
      await refuseSecondOpen(tx, deal.contact_id, deal.pipeline_id);
    const before = { status: deal.status, closedAt: deal.closed_at, lostReason: deal.lost_reason };
    const after = standingIn(to.kind, before, move.lost_reason, tx.now);
    const changes = changesBetween(
      { stage_id: from.id, status: before.status, lost_reason: before.lostReason },
      { stage_id: to.id, status: after.status, lost_reason: after.lostReason },
    );
    if (changes.length === 0) return getDeal(tx, id);
    await tx.sql.rows(
      `update deals set stage_id = $3, status = $4, closed_at = $5, lost_reason = $6, updated_at = $7,
         stage_entered_at = case when stage_id = $3 then stage_entered_at else $7 end
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, to.id, after.status, after.closedAt, after.lostReason, tx.now],
    );
    if (from.id !== to.id) await announceStage(tx, { ...deal, status: after.status }, from, to);
    await audit(tx, {
      action: 'deal.moved',
      target: { type: 'deal', id, name: deal.title },
      changes,
    });
    return getDeal(tx, id);
  });
