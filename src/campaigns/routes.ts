import type { Context } from '../context.ts';
import { list, type Route, read, write } from '../http/route.ts';
import { exampleCampaign, exampleDetail, exampleDraft, exampleRecipient } from './examples.ts';
import { listCampaigns, listRecipients, readCampaign, viewCampaign } from './reading.ts';
import {
  campaignDetailView,
  campaignQuery,
  campaignView,
  createCampaignBody,
  deletedView,
  recipientQuery,
  recipientView,
  scheduleBody,
  updateCampaignBody,
} from './schema.ts';
import { createCampaign, deleteCampaign, updateCampaign } from './service.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from './states/transitions.ts';
import { trialRoutes } from './trial-routes.ts';

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
    query: campaignQuery,
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
    example: { request: { when: '2026-12-01T09:00' }, response: exampleCampaign },
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
    query: recipientQuery,
    item: recipientView,
    example: { response: exampleRecipient },
    handle: (ctx, { id, query, page }) =>
      listRecipients(ctx, { campaignId: id, status: query.status ?? null }, page),
  }),
  ...trialRoutes,
];
