import { list, type Route, read, write } from '../http/route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { ENDPOINT_ID, endpointExample } from './examples.ts';
import { createdView, deletedView, endpointPatch, endpointView, newEndpoint } from './schema.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointParts,
  getEndpoint,
  pageOfEndpoints,
  updateEndpoint,
} from './service.ts';
import { steeringRoutes } from './steering-routes.ts';

const shared = { tag: 'Webhooks' } as const;
/** A route whose path names one endpoint. */
const ofOne = { ...shared, id: 'whk' } as const;

const keptRoutes: readonly Route[] = [
  list({
    ...shared,
    path: '/v1/webhooks',
    operationId: 'list_webhooks',
    summary: 'List webhook endpoints',
    scope: 'webhooks:read',
    item: endpointView,
    example: { response: { data: [endpointExample], next_cursor: null } },
    handle: (ctx, { page }) => pageOfEndpoints(ctx, page),
  }),
  read({
    ...ofOne,
    path: '/v1/webhooks/:id',
    operationId: 'get_webhook',
    summary: 'Read a webhook endpoint; never its secret',
    scope: 'webhooks:read',
    reply: endpointView,
    example: { response: endpointExample },
    handle: (ctx, { id }) => getEndpoint(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    operationId: 'delete_webhook',
    summary: 'Delete a webhook endpoint and end its deliveries',
    scope: 'webhooks:write',
    reply: deletedView,
    status: 200,
    example: { response: { id: ENDPOINT_ID, deleted: true } },
    handle: async (ctx, { id }) => {
      await deleteEndpoint(ctx, id);
      return { id, deleted: true };
    },
  }),
];

/** Endpoints that receive signed events (specification, Events). */
export const webhookRoutes = (parts: EndpointParts): readonly Route[] => [
  ...keptRoutes,
  write({
    ...shared,
    method: 'POST',
    path: '/v1/webhooks',
    operationId: 'create_webhook',
    summary: 'Create a webhook endpoint; its secret is shown in this answer only',
    scope: 'webhooks:write',
    body: newEndpoint,
    reply: createdView,
    status: 201,
    secret: true,
    errors: ['quota'],
    example: {
      request: {
        name: endpointExample.name,
        url: endpointExample.url,
        events: endpointExample.events,
      },
      response: { id: ENDPOINT_ID, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
    },
    handle: (ctx, { body }) => createEndpoint(ctx, body, parts),
  }),
  write({
    ...ofOne,
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    operationId: 'update_webhook',
    summary:
      'Change the name, address or events of a webhook endpoint; fields that are left out stay',
    scope: 'webhooks:write',
    body: endpointPatch,
    reply: endpointView,
    status: 200,
    example: { request: { events: endpointExample.events }, response: endpointExample },
    handle: (ctx, { id, body }) => updateEndpoint(ctx, id, body, parts),
  }),
  ...steeringRoutes(parts),
  ...deliveryRoutes,
];
