import type { Context } from '../context.ts';
import { deletedView } from '../http/fields.ts';
import { list, type Route, read, write } from '../http/route.ts';
import { previewCampaign } from './audience/previewing.ts';
import {
  exampleCampaign,
  exampleDetail,
  exampleDraft,
  examplePreview,
  exampleProof,
  exampleRecipient,
  exampleTest,
} from './examples.ts';
import { proveCampaign } from './proof/proving.ts';
import { proofQuery, proofView } from './proof/schema.ts';
import { listCampaigns, listRecipients, readCampaign, viewCampaign } from './reading.ts';
import {
  campaignDetailView,
  campaignFilters,
  campaignView,
  createCampaignBody,
  previewView,
  recipientFilters,
  recipientView,
  retryBody,
  scheduleBody,
  testBody,
  testView,
  updateCampaignBody,
} from './schema.ts';
import { createCampaign, deleteCampaign, updateCampaign } from './service.ts';
import { retryCampaign } from './states/retrying.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from './states/transitions.ts';
import { trySending } from './test-send.ts';

const shared = { tag: 'Campaigns' } as const;
/** A route whose path names one campaign. */
const ofOne = { ...shared, id: 'cmp' } as const;
const refusals = [
  'unknown_number',
  'unknown_contact',
  'unknown_group',
  'unknown_segment',
  'pace_not_allowed',
] as const;

/** A step that needs nothing but the campaign's id. */
const step = (
  verb: string,
  summary: string,
  scope: 'campaigns:send' | 'campaigns:write',
  take: (ctx: Context, id: string) => Promise<unknown>,
): Route =>
  write({
    ...ofOne,
    method: 'POST',
    path: `/v1/campaigns/:id/${verb}`,
    operationId: `${verb}_campaign`,
    summary,
    scope,
    status: 200,
    reply: campaignView,
    errors: scope === 'campaigns:send' ? ['invalid_state', 'quota'] : ['invalid_state'],
    example: { response: exampleCampaign },
    handle: async (ctx, { id }) => {
      await take(ctx, id);
      return viewCampaign(ctx, id);
    },
  });

export const campaignRoutes: readonly Route[] = [
  write({
    ...shared,
    method: 'POST',
    path: '/v1/campaigns',
    operationId: 'create_campaign',
    summary: 'Create a draft campaign. It never sends.',
    scope: 'campaigns:write',
    status: 201,
    body: createCampaignBody,
    reply: campaignView,
    errors: refusals,
    example: { request: exampleDraft, response: exampleCampaign },
    handle: async (ctx, { body }) => {
      const { id } = await createCampaign(ctx, body);
      return viewCampaign(ctx, id);
    },
  }),
  list({
    ...shared,
    path: '/v1/campaigns',
    operationId: 'list_campaigns',
    summary: 'List campaigns, newest first.',
    scope: 'campaigns:read',
    query: campaignFilters,
    item: campaignView,
    example: { response: exampleCampaign },
    handle: (ctx, { query, page }) => listCampaigns(ctx, query, page),
  }),
  read({
    ...ofOne,
    path: '/v1/campaigns/:id',
    operationId: 'get_campaign',
    summary: 'Read a campaign with its audience and results.',
    scope: 'campaigns:read',
    reply: campaignDetailView,
    example: { response: exampleDetail },
    handle: (ctx, { id }) => readCampaign(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'PATCH',
    path: '/v1/campaigns/:id',
    operationId: 'update_campaign',
    summary: 'Change a draft. Fields that are left out stay as they are.',
    scope: 'campaigns:write',
    status: 200,
    body: updateCampaignBody,
    reply: campaignView,
    errors: ['invalid_state', ...refusals],
    example: { request: { name: 'Black Friday' }, response: exampleCampaign },
    handle: async (ctx, { id, body }) => {
      await updateCampaign(ctx, id, body);
      return viewCampaign(ctx, id);
    },
  }),
  write({
    ...ofOne,
    method: 'DELETE',
    path: '/v1/campaigns/:id',
    operationId: 'delete_campaign',
    summary: 'Delete a draft.',
    scope: 'campaigns:write',
    status: 200,
    reply: deletedView,
    errors: ['invalid_state'],
    example: { response: { id: exampleCampaign.id, deleted: true } },
    handle: async (ctx, { id }) => {
      await deleteCampaign(ctx, id);
      return { id, deleted: true as const };
    },
  }),
  step('send', 'Send a draft now, to everybody, for real.', 'campaigns:send', sendCampaign),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/campaigns/:id/schedule',
    operationId: 'schedule_campaign',
    summary: 'Schedule a draft to be sent at a time.',
    scope: 'campaigns:send',
    status: 200,
    body: scheduleBody,
    reply: campaignView,
    errors: ['invalid_state'],
    example: { request: { when: '2027-11-26T09:00' }, response: exampleCampaign },
    handle: async (ctx, { id, body }) => {
      await scheduleCampaign(ctx, id, body);
      return viewCampaign(ctx, id);
    },
  }),
  step('unschedule', 'Make it a draft again.', 'campaigns:write', unscheduleCampaign),
  step('pause', 'Start no new send until it is resumed.', 'campaigns:write', pauseCampaign),
  step('resume', 'Go on with those not settled yet.', 'campaigns:send', resumeCampaign),
  step('cancel', 'End it. What was sent stays sent.', 'campaigns:write', cancelCampaign),
  list({
    ...ofOne,
    path: '/v1/campaigns/:id/recipients',
    operationId: 'list_campaign_recipients',
    summary: 'List the recipients of a campaign, newest first.',
    scope: 'campaigns:read',
    query: recipientFilters,
    item: recipientView,
    example: { response: exampleRecipient },
    handle: (ctx, { id, query, page }) =>
      listRecipients(ctx, { campaignId: id, status: query.status ?? null }, page),
  }),
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
