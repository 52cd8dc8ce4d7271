import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { allowance } from '../workspaces/plans.ts';
import { eligibleOf, roughAudience } from './audience/estimating.ts';
import type { Campaign } from './entities.ts';
import { recipientsThisMonth } from './queries.ts';

/**
 * Deducts the campaign's recipients from the plan's month; a campaign that began counts for good (design decisions
 * §18).
 */
export async function takeQuota(tx: Context, campaign: Campaign): Promise<void> {
  const wanted = await wantedBy(tx, campaign);
  await requireQuota(tx, wanted);
  if (campaign.target !== 'contacts') campaign.expected = wanted;
}

/** Throws 409 `quota` if this many more are too many; with 0, if the month has been exceeded already. */
export async function requireQuota(tx: Context, wanted: number): Promise<void> {
  const { plan, limit, used } = await allowance(tx, 'campaignRecipients', () =>
    recipientsThisMonth(tx.sql, tx.organizationId, tx.now),
  );
  if (used + wanted <= limit) return;
  const needs = wanted > 0 ? `, this needs ${wanted}` : '';
  const message = `The plan ${plan} allows ${limit} recipients a month; ${used} are used${needs}.`;
  throw new AppError('quota', message, { limit, used, plan });
}

/** A list counts in full, as it was given; rules count everyone they reach now. */
async function wantedBy(tx: Context, campaign: Campaign): Promise<number> {
  const { target, contactIds, groupIds } = campaign;
  if (target === 'contacts' || target === 'groups') return contactIds.length + groupIds.length;
  const planned = {
    id: campaign.id,
    target,
    segment_id: campaign.segmentId ?? null,
    pipeline_id: campaign.pipelineId ?? null,
    stage_ids: campaign.stageIds,
    number_id: campaign.numberId ?? null,
    contact_ids: contactIds,
    group_ids: groupIds,
    text: campaign.text,
  };
  return eligibleOf(await roughAudience(tx, planned));
}
