import { changesBetween } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import type { Campaign } from '../entities.ts';
import type { CampaignStatus, PauseReason } from '../rules.ts';
import { targetOf } from '../service.ts';

/** Pending recipients get nothing any more. */
export async function cancel(tx: Context, campaign: Campaign): Promise<void> {
  end(campaign, 'cancelled', tx.now);
  await tx.em.flush();
  await cancelPending(tx, campaign.id);
}

/**
 * Recipients of a cancelled campaign not yet sent to never will be; messages waiting for another try end with them.
 * While others are being sent to, the campaign is `unsettled`: the reconciler sees to it that somebody waits for them.
 */
export const cancelPending = (tx: Context, campaignId: string): Promise<unknown> =>
  tx.sql.rows(
    `with ended as (
       update campaign_recipients set status = 'cancelled', settled_at = $3, not_before = null
       where organization_id = $1 and campaign_id = $2 and status = 'pending'
       returning message_id
     ), kept as (
       update campaigns set unsettled = exists (select from campaign_recipients
         where organization_id = $1 and campaign_id = $2 and status = 'sending')
       where organization_id = $1 and id = $2)
     update messages m set status = 'cancelled' from ended
     where m.organization_id = $1 and m.id = ended.message_id and m.status = 'queued'`,
    [tx.organizationId, campaignId, tx.now],
  );

/** Starts or resumes; `startedAt` stays that of the first time. */
export function begin(campaign: Campaign, now: Date): void {
  campaign.status = 'sending';
  campaign.pauseReason = null;
  campaign.unsettled = false;
  campaign.startedAt ??= now;
  campaign.runningSince = now;
  wake(campaign);
}

/**
 * Pauses. Sends may be under way: until somebody has seen that none is, it is `unsettled`, as a cancelled one.
 *
 * @param reason what must change before it can go on (design decisions §6)
 */
export function stop(campaign: Campaign, reason: PauseReason): void {
  campaign.unsettled = campaign.status === 'sending';
  campaign.status = 'paused';
  campaign.pauseReason = reason;
  wake(campaign);
}

/** It no longer waits for an hour or a day. */
function wake(campaign: Campaign): void {
  campaign.waitingUntil = null;
  campaign.waitingFor = null;
}

/** Ends it for good: no later step is possible. */
export function end(campaign: Campaign, status: 'done' | 'cancelled', now: Date): void {
  campaign.status = status;
  campaign.finishedAt = now;
  campaign.pauseReason = null;
  wake(campaign);
}

/**
 * Writes one entry to the workspace's audit log.
 *
 * @param why for one that was paused already: the reason until now
 */
export const log = (
  tx: Context,
  campaign: Campaign,
  action: `campaign.${string}`,
  from: CampaignStatus,
  why: PauseReason | null = null,
): Promise<void> =>
  audit(tx, {
    action,
    target: targetOf(campaign),
    changes: changesBetween(
      { status: from, pause_reason: why },
      {
        status: campaign.status,
        pause_reason: campaign.pauseReason ?? undefined,
        // A draft's own time begins nothing: until now there was none.
        send_at: campaign.status === 'scheduled' ? campaign.sendAt?.toISOString() : undefined,
      },
    ),
  });
