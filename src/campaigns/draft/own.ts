import { z } from 'zod';
import { CAMPAIGN_TARGETS } from '../rules.ts';
import { createCampaignBody, updateCampaignBody } from '../schema.ts';

const own = {
  target: z.enum(CAMPAIGN_TARGETS),
  pipeline_id: z.string().nullable(),
  stage_ids: z.array(z.string()),
};

/** A campaign that is made in the app, and not by the API: it may go to a pipeline (design decisions §6). */
export const newOwnCampaign = createCampaignBody.extend({
  ...own,
  pipeline_id: own.pipeline_id.default(null),
  stage_ids: own.stage_ids.default([]),
});

/** What changes a campaign that is made in the app. */
export const ownChange = updateCampaignBody.extend(z.strictObject(own).partial().shape);
