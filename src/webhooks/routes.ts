import { list, type Route, read, write } from '../http/route.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { ENDPOINT_ID, endpointExample } from './examples.ts';
import { pauseEndpoint, resumeEndpoint } from './pausing.ts';
import { rotateSecret } from './rotating.ts';
import {
  createdView,
  deletedView,
  endpointPatch,
  endpointView,
  newEndpoint,
  rotatedView,
} from './schema.ts';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointParts,
  getEndpoint,
  pageOfEndpoints,
  updateEndpoint,
} from './service.ts';

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

/** Pausing, resuming and rotating the secret of one endpoint (design decisions §15). */
const steeringRoutes = ({ keyring }: Pick<EndpointParts, 'keyring'>): readonly Route[] => [
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/webhooks/:id/pause',
    operationId: 'pause_webhook',
    summary: 'Pause a webhook endpoint; new events are stored for it',
    scope: 'webhooks:write',
    reply: endpointView,
    status: 200,
    example: { response: { ...endpointExample, status: 'paused' } },
    handle: (ctx, { id }) => pauseEndpoint(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/webhooks/:id/resume',
    operationId: 'resume_webhook',
    summary: 'Resume a webhook endpoint; everything stored is sent, oldest first',
    scope: 'webhooks:write',
    reply: endpointView,
    status: 200,
    example: { response: endpointExample },
    handle: (ctx, { id }) => resumeEndpoint(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/webhooks/:id/rotate',
    operationId: 'rotate_webhook_secret',
    summary:
      'Replace the secret; the new one is shown only in this answer, the previous one keeps signing for 24 hours',
    scope: 'webhooks:write',
    reply: rotatedView,
    status: 200,
    secret: true,
    example: {
      response: {
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
        previous_valid_until: '2026-11-21T12:00:00.000Z',
      },
    },
    handle: (ctx, { id }) => rotateSecret(ctx, id, keyring),
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
