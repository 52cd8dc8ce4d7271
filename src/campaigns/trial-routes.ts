import { type Route, read, write } from '../http/route.ts';
import { previewCampaign } from './audience/previewing.ts';
import { exampleCampaign, examplePreview, exampleProof, exampleTest } from './examples.ts';
import { proveCampaign } from './proof/proving.ts';
import { viewCampaign } from './reading.ts';
import {
  campaignView,
  previewView,
  proofQuery,
  proofView,
  retryBody,
  testBody,
  testView,
} from './schema.ts';
import { retryCampaign } from './states/retrying.ts';
import { trySending } from './test-send.ts';

const ofOne = { tag: 'Campaigns', id: 'cmp' } as const;

/** For trying a campaign before it is sent, and for what can be done after it is over. */
export const trialRoutes: readonly Route[] = [
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/campaigns/:id/preview',
    operationId: 'preview_campaign',
    summary:
      'Preview who would get it, who would not and why, and when it would end. Nothing is sent.',
    scope: 'campaigns:read',
    status: 200,
    reply: previewView,
    errors: ['invalid_state', 'segment_too_heavy'],
    example: { response: examplePreview },
    handle: (ctx, { id }) => previewCampaign(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/campaigns/:id/test',
    operationId: 'test_campaign',
    summary: 'Send its text to one phone, for real; not part of the results.',
    scope: 'campaigns:send',
    status: 200,
    body: testBody,
    reply: testView,
    errors: ['invalid_state', 'opted_out', 'out_of_window', 'quota', 'duplicate'],
    example: { request: { phone: '+55 11 98765-4321' }, response: exampleTest },
    handle: (ctx, { id, body }) => trySending(ctx, id, body.phone),
  }),
  read({
    ...ofOne,
    path: '/v1/campaigns/:id/proof',
    operationId: 'prove_campaign',
    summary:
      'Read the outcome of each recipient of a finished campaign, as chained lines with hashes.',
    scope: 'campaigns:read',
    query: proofQuery,
    reply: proofView,
    errors: ['invalid_state', 'invalid_cursor'],
    example: { response: exampleProof },
    handle: (ctx, { id, query }) =>
      proveCampaign(ctx, id, { after: query.after ?? null, limit: query.lines }),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/campaigns/:id/retry',
    operationId: 'retry_campaign',
    summary:
      'Create a new draft for the recipients who were not reached: all of them, or chosen ones.',
    scope: 'campaigns:write',
    status: 201,
    body: retryBody,
    reply: campaignView,
    errors: ['invalid_state', 'pace_not_allowed'],
    example: {
      request: { statuses: ['failed'] },
      response: { ...exampleCampaign, retry_of: exampleCampaign.id },
    },
    handle: async (ctx, { id, body }) => {
      const campaign = await retryCampaign(ctx, id, body);
      return viewCampaign(ctx, campaign.id);
    },
  }),
];
