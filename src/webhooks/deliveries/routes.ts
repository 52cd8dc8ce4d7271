import { list, type Route, read, write } from '../../http/route.ts';
import { detailExample, pendingExample, retryingExample } from '../examples.ts';
import {
  deliveryDetailView,
  deliveryFilters,
  deliveryView,
  resentView,
  testRequest,
} from '../schema.ts';
import { resendDelivery, resendFailing } from './resending.ts';
import { getDelivery, listDeliveries } from './service.ts';
import { sendTestEvent } from './testing.ts';

const ofOne = { tag: 'Webhooks', id: 'whk' } as const;

/** The deliveries of one endpoint, and resending them (design decisions §15). */
export const deliveryRoutes: readonly Route[] = [
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    operationId: 'test_webhook',
    summary: 'Send an event with example data to one endpoint',
    scope: 'webhooks:write',
    body: testRequest,
    reply: deliveryView,
    status: 201,
    example: { request: { type: 'message.received' }, response: pendingExample },
    handle: (ctx, { id, body }) => sendTestEvent(ctx, id, body),
  }),
  list({
    ...ofOne,
    path: '/v1/webhooks/:id/deliveries',
    operationId: 'list_webhook_deliveries',
    summary: 'List the deliveries of a webhook endpoint; they are kept 30 days',
    scope: 'webhooks:read',
    query: deliveryFilters,
    item: deliveryView,
    example: { response: { data: [retryingExample], next_cursor: null } },
    handle: (ctx, { id, query, page }) => listDeliveries(ctx, id, query, page),
  }),
  read({
    ...ofOne,
    part: 'dlv',
    path: '/v1/webhooks/:id/deliveries/:delivery_id',
    operationId: 'get_webhook_delivery',
    summary: 'Read a delivery: its exact body, every attempt, and when the next ones are due',
    scope: 'webhooks:read',
    reply: deliveryDetailView,
    example: { response: detailExample },
    handle: (ctx, { id, partId }) => getDelivery(ctx, { endpointId: id, deliveryId: partId }),
  }),
  write({
    ...ofOne,
    part: 'dlv',
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/resend',
    operationId: 'resend_webhook_delivery',
    summary:
      'Send one delivery again at once, with the same id and body and a new budget of attempts',
    scope: 'webhooks:write',
    reply: deliveryView,
    status: 200,
    example: { response: pendingExample },
    handle: (ctx, { id, partId }) => resendDelivery(ctx, { endpointId: id, deliveryId: partId }),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/webhooks/:id/resend',
    operationId: 'resend_failing_webhook_deliveries',
    summary: 'Resend everything that has not succeeded: retrying, failed and blocked',
    scope: 'webhooks:write',
    reply: resentView,
    status: 200,
    example: { response: { resent: 12 } },
    handle: (ctx, { id }) => resendFailing(ctx, id),
  }),
];
