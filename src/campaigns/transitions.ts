import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import { recordCommand } from '../outbox/record.ts';
import type { Campaign } from './entities.ts';
import { begin, callOff, log, stop } from './moves.ts';
import { requireQuota, takeQuota } from './quota.ts';
import type { CampaignStep } from './rules.ts';
import { lockCampaign, sendAtOf } from './service.ts';
import { outOfRange } from './when.ts';

/** Sends now, for real (specification); a time of its own is ignored (design decisions §4). */
export const sendCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'send', 'campaign.sent', async (tx, campaign) => {
    await takeQuota(tx, campaign);
    begin(campaign, tx.now);
    await recordStart(tx, id);
  });

/**
 * Waits for its time: the one that is given (local to the workspace, or with an offset), else the campaign's own. Throws
 * 422 where there is none, and for one that is less than five minutes or more than a year away.
 */
export const scheduleCampaign = (
  ctx: Context,
  id: string,
  input: { when?: string | undefined },
): Promise<Campaign> =>
  step(ctx, id, 'schedule', 'campaign.scheduled', async (tx, campaign) => {
    if (input.when !== undefined) campaign.sendAt = await sendAtOf(tx, input.when);
    if (!campaign.sendAt) {
      const message = 'Say when, here or in the campaign.';
      throw validation([{ path: 'when', rule: 'required', message }]);
    }
    if (campaign.sendAt <= tx.now) throw validation([outOfRange]);
    campaign.status = 'scheduled';
    await recordStart(tx, id);
  });

/** Back to a draft, which may be changed again; its time stays in it. */
export const unscheduleCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'unschedule', 'campaign.unscheduled', async (tx, campaign) => {
    campaign.status = 'draft';
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Once answered, no new send starts; those in flight settle and are counted (design decisions §6). */
export const pauseCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'pause', 'campaign.paused', async (tx, campaign) => {
    stop(campaign, 'member');
    tx.recorded.add('campaigns');
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Goes on with whoever is not settled yet. */
export const resumeCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'resume', 'campaign.resumed', async (tx, campaign) => {
    if (!campaign.startedAt) await takeQuota(tx, campaign);
    else if (campaign.pauseReason === 'quota') await requireQuota(tx, 0);
    begin(campaign, tx.now);
    await recordStart(tx, id);
  });

/** For good: what is in flight settles and counts, whoever was not reached is `cancelled` (design decisions §6). */
export const cancelCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'cancel', 'campaign.cancelled', async (tx, campaign) => {
    const was = campaign.status;
    await callOff(tx, campaign);
    tx.recorded.add('campaigns');
    if (was !== 'draft') await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Its workflow must run, and says who wanted it. */
const recordStart = (tx: Context, campaignId: string): Promise<void> =>
  recordCommand(tx, 'campaign.started', {
    campaignId,
    ...(tx.actor.id ? { by: tx.actor.id } : {}),
  });

/** One step of a person's: lock, may it move?, move, and one entry in the log. */
function step(
  ctx: Context,
  id: string,
  name: CampaignStep,
  action: `campaign.${string}`,
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
