import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { eventActor } from '../outbox/actors.ts';
import { recordHappenings } from '../outbox/happenings.ts';
import { recordEvent } from '../outbox/record.ts';
import type { DealRow, StageRow } from './queries.ts';
import { NEW_DEAL, standingIn } from './rules.ts';
import type { NewDeal } from './schema.ts';

/** A deal whose references have been checked. */
export type CheckedDeal = Omit<NewDeal, 'stage_id' | 'title'> & { readonly title: string };

/**
 * Writes a new deal and records that it entered its stage.
 *
 * @returns its id
 */
export async function addDeal(tx: Context, stage: StageRow, deal: CheckedDeal): Promise<string> {
  const id = newId('dea');
  const standing = standingIn(stage.kind, NEW_DEAL, deal.lost_reason, tx.now);
  const { contact_id, title, currency = 'BRL', value_cents = null, owner_id = null } = deal;
  const conversation_id = deal.conversation_id ?? null;
  const written = await first<{ number_id: string | null }>(
    tx.sql,
    `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, conversation_id, title, value_cents,
       currency, owner_id, status, lost_reason, stage_entered_at, closed_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $13, $13)
     returning (select v.number_id from conversations v where v.organization_id = $1 and v.id = $6) as number_id`,
    [
      tx.organizationId,
      id,
      stage.pipelineId,
      stage.id,
      contact_id,
      conversation_id,
      title,
      value_cents,
      currency,
      owner_id,
      standing.status,
      standing.lostReason,
      tx.now,
      standing.closedAt,
    ],
  );
  const number_id = written?.number_id ?? null;
  const { status } = standing;
  const told = { id, title, value_cents, currency, status, contact_id, conversation_id, number_id };
  await announceStage(tx, told, null, stage);
  await audit(tx, {
    action: 'deal.created',
    target: { type: 'deal', id, name: title },
    changes: [
      { field: 'stage_id', from: null, to: stage.id },
      { field: 'contact_id', from: null, to: contact_id },
      { field: 'value_cents', from: null, to: value_cents },
      { field: 'owner_id', from: null, to: owner_id },
    ],
  });
  return id;
}

type Told = Pick<
  DealRow,
  | 'id'
  | 'title'
  | 'value_cents'
  | 'currency'
  | 'status'
  | 'contact_id'
  | 'conversation_id'
  | 'number_id'
>;

/** Records `stage.changed` (design decisions §16) and tells automations; `from` is null for a new deal. */
export async function announceStage(
  tx: Context,
  deal: Told,
  from: StageRow | null,
  to: StageRow,
): Promise<void> {
  await recordEvent(tx, 'stage.changed', {
    deal: {
      id: deal.id,
      title: deal.title,
      value_cents: deal.value_cents,
      currency: deal.currency,
      status: deal.status,
    },
    pipeline: { id: to.pipelineId, name: to.pipelineName },
    from: from && shown(from),
    to: shown(to),
    changed_by: eventActor(tx.actor),
    contact_id: deal.contact_id,
    conversation_id: deal.conversation_id,
    number_id: deal.number_id,
  });
  await recordHappenings(tx, [
    {
      type: 'stage_changed',
      contactId: deal.contact_id,
      conversationId: deal.conversation_id,
      ref: deal.id,
      data: { pipeline_id: to.pipelineId, stage_id: to.id },
    },
  ]);
}

const shown = ({ id, name, kind }: StageRow) => ({ id, name, kind });
