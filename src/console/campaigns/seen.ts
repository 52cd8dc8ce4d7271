import { viewCampaign } from '../../campaigns/reading.ts';
import type { CampaignStep } from '../../campaigns/rules.ts';
import { lockCampaign } from '../../campaigns/service.ts';
import type { Context } from '../../context.ts';

type Campaign = Awaited<ReturnType<typeof viewCampaign>>;

/** What is sent to whom: on this people decide, and this they write. */
export const contentOf = (campaign: Campaign) => ({
  name: campaign.name,
  number_id: campaign.number_id,
  target: campaign.target,
  segment_id: campaign.segment_id,
  contact_ids: campaign.contact_ids,
  group_ids: campaign.group_ids,
  pipeline_id: campaign.pipeline_id,
  stage_ids: campaign.stage_ids,
  text: campaign.text,
  pace: campaign.pace,
});

/** The same, locked for this step. */
export const lockedContent =
  (id: string, step: CampaignStep) =>
  async (ctx: Context): Promise<unknown> => {
    await lockCampaign(ctx, id, step);
    return contentOf(await viewCampaign(ctx, id));
  };
