import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { validation } from '../../errors.ts';
import { recordCommand } from '../../outbox/record.ts';
import { isInRange, outOfRange } from '../draft/when.ts';
import type { Campaign } from '../entities.ts';
import { requireQuota, takeQuota } from '../quota.ts';
import type { CampaignStep } from '../rules.ts';
import { lockCampaign, sendAtOf } from '../service.ts';
import { begin, cancel, log, stop } from './moves.ts';

/** Sends for real, right now (specification); a scheduled time is ignored (design decisions §4). */
export const sendCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, { id, name: 'send', action: 'campaign.sent' }, async (tx, campaign) => {
    await takeQuota(tx, campaign);
    begin(campaign, tx.now);
    await recordStart(tx, id);
  });

/**
 * Schedules for the given time (local to the workspace, or with an offset), otherwise the campaign's own. Throws 422
 * if there is none, or if it is less than five minutes or more than a year away.
 */
export const scheduleCampaign = (
  ctx: Context,
  id: string,
  input: { when?: string | undefined },
): Promise<Campaign> =>
  step(ctx, { id, name: 'schedule', action: 'campaign.scheduled' }, async (tx, campaign) => {
    if (input.when !== undefined) campaign.sendAt = await sendAtOf(tx, input.when);
    if (!campaign.sendAt) {
      const message = 'Say when, here or in the campaign.';
      throw validation([{ path: 'when', rule: 'required', message }]);
    }
    if (!isInRange(campaign.sendAt, tx.now)) throw validation([outOfRange]);
    campaign.status = 'scheduled';
    await recordStart(tx, id);
  });

/** Back to a draft, which can be changed again and keeps its time. */
export const unscheduleCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, { id, name: 'unschedule', action: 'campaign.unscheduled' }, async (tx, campaign) => {
    campaign.status = 'draft';
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Once this is answered, no new send starts; those in flight are settled and counted (design decisions §6). */
export const pauseCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, { id, name: 'pause', action: 'campaign.paused' }, async (tx, campaign) => {
    stop(campaign, 'member');
    tx.recorded.add('campaigns');
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Continues with the recipients that are not settled yet. */
export const resumeCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, { id, name: 'resume', action: 'campaign.resumed' }, async (tx, campaign) => {
    if (!campaign.startedAt) await takeQuota(tx, campaign);
    else if (campaign.pauseReason === 'quota') await requireQuota(tx, 0);
    begin(campaign, tx.now);
    await recordStart(tx, id);
  });

/**
 * Cancels for good: sends in flight are settled and counted, the other recipients become `cancelled` (design
 * decisions §6).
 */
export const cancelCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, { id, name: 'cancel', action: 'campaign.cancelled' }, async (tx, campaign) => {
    const was = campaign.status;
    await cancel(tx, campaign);
    tx.recorded.add('campaigns');
    // Its workflow settles what is under way; one that an operator terminated is started for it.
    if (was !== 'draft') await recordCommand(tx, 'campaign.started', { campaignId: id });
  });

/** Its workflow must run; also records who started it. */
const recordStart = (tx: Context, campaignId: string): Promise<void> =>
  recordCommand(tx, 'campaign.started', {
    campaignId,
    ...(tx.actor.id ? { by: tx.actor.id } : {}),
  });

interface Step {
  /** The campaign's. */
  readonly id: string;
  readonly name: CampaignStep;
  /** In the audit log. */
  readonly action: `campaign.${string}`;
}

/** One step by a person: lock, check whether it may move, move, and write one entry to the audit log. */
function step(
  ctx: Context,
  { id, name, action }: Step,
  move: (tx: Context, campaign: Campaign) => Promise<void>,
): Promise<Campaign> {
  return transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, name);
    const from = campaign.status;
    await move(tx, campaign);
    await tx.em.flush();
    await log(tx, campaign, action, from);
    return campaign;
  });
}
