import { LockMode } from '@mikro-orm/postgresql';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import { markNumberUnavailable } from '../numbers/service.ts';
import { recordCommand } from '../outbox/record.ts';
import { Campaign } from './entities.ts';
import { cancelPending } from './queries.ts';
import { requireQuota, takeQuota } from './quota.ts';
import {
  type CampaignStatus,
  type CampaignStep,
  isFinal,
  missedSchedule,
  type PauseReason,
  type WaitingFor,
} from './rules.ts';
import { lockCampaign, sendAtOf, targetOf } from './service.ts';
import { outOfRange } from './when.ts';

/** Sends now, for real (specification); a time of its own is ignored (design decisions §4). */
export const sendCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'send', 'campaign.sent', async (tx, campaign) => {
    await takeQuota(tx, campaign);
    begin(campaign, tx.now);
    await recordCommand(tx, 'campaign.started', { campaignId: id });
  });

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
    await recordCommand(tx, 'campaign.started', { campaignId: id });
  });

export const unscheduleCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'unschedule', 'campaign.unscheduled', async (tx, campaign) => {
    campaign.status = 'draft';
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Once answered, no new send starts; those in flight settle and are counted (design decisions §6). */
export const pauseCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'pause', 'campaign.paused', async (tx, campaign) => {
    stop(campaign, 'member');
    await recordCommand(tx, 'campaign.changed', { campaignId: id });
  });

/** Goes on with whoever is not settled yet. */
export const resumeCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'resume', 'campaign.resumed', async (tx, campaign) => {
    if (!campaign.startedAt) await takeQuota(tx, campaign);
    else if (campaign.pauseReason === 'quota') await requireQuota(tx, 0);
    begin(campaign, tx.now);
    await recordCommand(tx, 'campaign.started', { campaignId: id });
  });

export const cancelCampaign = (ctx: Context, id: string): Promise<Campaign> =>
  step(ctx, id, 'cancel', 'campaign.cancelled', async (tx, campaign) => {
    const was = campaign.status;
    await callOff(tx, campaign);
    if (was !== 'draft') await recordCommand(tx, 'campaign.changed', { campaignId: id });
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

/**
 * The clock reached `send_at`: the campaign begins, or, when that was over an hour ago or the plan's
 * month is used up, it is paused for a person to decide.
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
 * The audience is written down: rules may reach more people than when the start took its part of the
 * plan's month. When that is too many, nobody is sent to before a person decides.
 */
export const holdToQuota = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending' || !campaign.frozenAt) return;
    const reason = await withinQuota(() => requireQuota(tx, 0));
    if (!reason) return;
    stop(campaign, reason);
    await tx.em.flush();
    await log(tx, campaign, 'campaign.paused', 'sending');
  });

/** The machine stops a campaign that is sending (design decisions §6, automatic guard). */
export const pauseByItself = (ctx: Context, id: string, reason: PauseReason): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending') return;
    stop(campaign, reason);
    await tx.em.flush();
    await log(tx, campaign, 'campaign.paused', 'sending');
  });

/** It stays `sending`, and nothing is sent until then. */
export const waitUntil = (ctx: Context, id: string, until: Date, why: WaitingFor): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending') return;
    campaign.waitingUntil = until;
    campaign.waitingFor = why;
    await tx.em.flush();
  });

/** The number cannot send any more: it says so, and every campaign on it stops (design decisions §8). */
export const haltNumber = (
  ctx: Context,
  numberId: string,
  status: 'disconnected' | 'suspended',
  providerCode: number,
): Promise<void> =>
  transact(ctx, async (tx) => {
    const { em, sql, organizationId, now } = tx;
    const sending = await em.find(
      Campaign,
      { numberId, status: 'sending' },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    for (const campaign of sending) stop(campaign, 'number_unavailable');
    await em.flush();
    const reason = `whatsapp_${providerCode}`;
    await markNumberUnavailable(sql, organizationId, numberId, status, reason, now);
    for (const campaign of sending) await log(tx, campaign, 'campaign.paused', 'sending');
  });

/** Everybody is settled. */
export const finishCampaign = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (campaign?.status !== 'sending') return;
    end(campaign, 'done', tx.now);
    await tx.em.flush();
    await log(tx, campaign, 'campaign.finished', 'sending');
  });

/** An operator cancelled the workflow: the row follows, whatever it was doing. */
export const cancelByOperator = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const campaign = await lockAny(tx, id);
    if (!campaign || campaign.status === 'draft' || isFinal(campaign.status)) return;
    const from = campaign.status;
    await callOff(tx, campaign);
    await log(tx, campaign, 'campaign.cancelled', from);
  });

async function callOff(tx: Context, campaign: Campaign): Promise<void> {
  end(campaign, 'cancelled', tx.now);
  await tx.em.flush();
  await cancelPending(tx.sql, tx.organizationId, campaign.id, tx.now);
}

/** What an interrupted cancel, or a send that came back unsent after it, left behind. */
export const tidyCancelled = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    await cancelPending(tx.sql, tx.organizationId, id, tx.now);
  });

const lockAny = (tx: Context, id: string): Promise<Campaign | null> =>
  tx.em.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

function begin(campaign: Campaign, now: Date): void {
  campaign.status = 'sending';
  campaign.pauseReason = null;
  campaign.startedAt ??= now;
  campaign.runningSince = now;
  wake(campaign);
}

function stop(campaign: Campaign, reason: PauseReason): void {
  campaign.status = 'paused';
  campaign.pauseReason = reason;
  wake(campaign);
}

/** It waits for no hour and no other day. */
function wake(campaign: Campaign): void {
  campaign.waitingUntil = null;
  campaign.waitingFor = null;
}

function end(campaign: Campaign, status: 'done' | 'cancelled', now: Date): void {
  campaign.status = status;
  campaign.finishedAt = now;
  campaign.pauseReason = null;
  wake(campaign);
}

const log = (
  tx: Context,
  campaign: Campaign,
  action: `campaign.${string}`,
  from: CampaignStatus,
): Promise<void> =>
  audit(tx, {
    action,
    target: targetOf(campaign),
    changes: [
      { field: 'status', from, to: campaign.status },
      ...(campaign.pauseReason
        ? [{ field: 'pause_reason', from: null, to: campaign.pauseReason }]
        : []),
    ],
  });
