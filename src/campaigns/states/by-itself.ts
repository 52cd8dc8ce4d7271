import { LockMode } from '@mikro-orm/postgresql';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { NumberHalt } from '../../gateway/port.ts';
import { pinNumber } from '../../numbers/known.ts';
import { markNumberUnavailable } from '../../numbers/service.ts';
import { recordCommand } from '../../outbox/record.ts';
import { Campaign } from '../entities.ts';
import { requireQuota, takeQuota } from '../quota.ts';
import { isFinal, missedSchedule, type PauseReason, type WaitingFor } from '../rules.ts';
import { lockAny } from '../service.ts';
import { begin, cancel, cancelPending, end, log, stop } from './moves.ts';

/**
 * `send_at` has come: the campaign begins; or, if that was over an hour ago or the plan's month is used up, it is
 * paused for a person to decide.
 */
export const beginScheduled = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'scheduled' || !campaign.sendAt || campaign.sendAt > tx.now) return;
    const reason = await obstacle(tx, campaign);
    if (reason) stop(campaign, reason);
    else begin(campaign, tx.now);
    await tx.em.flush();
    await log(tx, campaign, reason ? 'campaign.paused' : 'campaign.sent', 'scheduled');
  });

async function obstacle(tx: Context, campaign: Campaign): Promise<PauseReason | null> {
  if (campaign.sendAt && missedSchedule(campaign.sendAt, tx.now)) return 'missed_schedule';
  return withinQuota(() => takeQuota(tx, campaign));
}

async function withinQuota(check: () => Promise<void>): Promise<'quota' | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if ((error as { code?: string }).code === 'quota') return 'quota';
    throw error;
  }
}

/**
 * The audience has been written down. Rules may reach more people than were deducted from the plan's month at the
 * start; if that is too many, nothing is sent until a person decides: nor in a campaign that was paused meanwhile, which
 * is held to it when it is resumed.
 */
export const holdToQuota = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (!campaign?.frozenAt || !isUnderWay(campaign)) return;
    const { status: from, pauseReason: why } = campaign;
    const reason = await withinQuota(() => requireQuota(tx, 0));
    if (!reason || reason === why) return;
    if (from === 'sending') stop(campaign, reason);
    else campaign.pauseReason = reason;
    await tx.em.flush();
    await log(tx, campaign, 'campaign.paused', from, why);
  });

const isUnderWay = ({ status }: Campaign): boolean => status === 'sending' || status === 'paused';

/**
 * Automatically pauses a sending campaign (design decisions §6, automatic guard).
 *
 * @param holds whether the reason still does; asked while nobody can change the campaign
 */
export const pauseByItself = (
  ctx: Context,
  id: string,
  reason: PauseReason,
  holds: (tx: Context, campaign: Campaign) => Promise<boolean> = async () => true,
): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending' || !(await holds(tx, campaign))) return;
    stop(campaign, reason);
    await tx.em.flush();
    await tellPaused(tx, campaign);
  });

/** Its workflow may be asleep until an hour or a try for which the campaign waits no more. */
async function tellPaused(tx: Context, campaign: Campaign): Promise<void> {
  await log(tx, campaign, 'campaign.paused', 'sending');
  await recordCommand(tx, 'campaign.changed', { campaignId: campaign.id });
}

/** The campaign stays `sending`, but nothing is sent until then. */
export const waitUntil = (ctx: Context, id: string, until: Date, why: WaitingFor): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending') return;
    campaign.waitingUntil = until;
    campaign.waitingFor = why;
    await tx.em.flush();
  });

/**
 * The number can no longer send: it is marked so, and every campaign on it is paused (design decisions §8).
 *
 * @param holds whether that is still so; asked while nobody can change the number
 */
export const haltNumber = (
  ctx: Context,
  numberId: string,
  status: NumberHalt,
  providerCode: number,
  holds: (tx: Context) => Promise<boolean> = async () => true,
): Promise<void> =>
  transact(ctx, async (tx) => {
    const { em } = tx;
    const sending = await em.find(
      Campaign,
      { numberId, status: 'sending' },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    await pinNumber(tx, numberId);
    if (!(await holds(tx))) return;
    for (const campaign of sending) stop(campaign, 'number_unavailable');
    await em.flush();
    const reason = `whatsapp_${providerCode}`;
    await markNumberUnavailable(tx, numberId, { status, reason });
    for (const campaign of sending) await tellPaused(tx, campaign);
  });

/** All recipients are settled. */
export const finishCampaign = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending') return;
    end(campaign, 'done', tx.now);
    await tx.em.flush();
    await log(tx, campaign, 'campaign.finished', 'sending');
  });

/** An operator cancelled the workflow, so the row is cancelled too, whatever its state. */
export const cancelCampaignByOperator = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (!campaign || campaign.status === 'draft' || isFinal(campaign.status)) return;
    const from = campaign.status;
    await cancel(tx, campaign);
    await log(tx, campaign, 'campaign.cancelled', from);
  });

/** Cleans up after a cancellation: of the sends that it met some are returned, and the last one has its outcome. */
export const tidyCancelled = (ctx: Context, id: string): Promise<unknown> =>
  transact(ctx, (tx) => cancelPending(tx, id));

/**
 * The sends that a pause met have their outcome, unless it has gone on and been paused again since somebody looked:
 * then more may be under way.
 */
export const settlePaused = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'paused') return;
    await tx.sql.rows(
      `update campaigns set unsettled = exists (select from campaign_recipients
         where organization_id = $1 and campaign_id = $2 and status = 'sending')
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id],
    );
  });
