import type { Context, ReadContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { allowance, planOf } from '../workspaces/plans.ts';
import { eligibleOf, type Planned, roughAudience } from './audience/estimating.ts';
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

/** A campaign that would begin then, and how many would get it. */
interface Beginning {
  readonly campaign: Planned;
  readonly eligible: number;
  readonly startsAt: Date;
}

/** Whether it would be refused for the plan's month. Nothing is locked: others may take the room meanwhile. */
export async function exceedsQuota(
  ctx: Pick<ReadContext, 'sql' | 'organizationId'>,
  { campaign, eligible, startsAt }: Beginning,
): Promise<boolean> {
  const { campaignRecipients: limit } = await planOf(ctx);
  const used = await recipientsThisMonth(ctx.sql, ctx.organizationId, startsAt);
  return used + (listed(campaign) ?? eligible) > limit;
}

/** A list counts in full, as it was given; null for rules, which count everyone they reach now. */
const listed = ({ target, contact_ids, group_ids }: Planned): number | null =>
  target === 'contacts' || target === 'groups' ? contact_ids.length + group_ids.length : null;

async function wantedBy(tx: Context, campaign: Campaign): Promise<number> {
  const planned = {
    id: campaign.id,
    target: campaign.target,
    segment_id: campaign.segmentId ?? null,
    pipeline_id: campaign.pipelineId ?? null,
    stage_ids: campaign.stageIds,
    number_id: campaign.numberId ?? null,
    contact_ids: campaign.contactIds,
    group_ids: campaign.groupIds,
    text: campaign.text,
  };
  return listed(planned) ?? eligibleOf(await roughAudience(tx, planned));
}
