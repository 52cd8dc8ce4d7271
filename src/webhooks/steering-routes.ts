import { type Route, write } from '../http/route.ts';
import { endpointExample } from './examples.ts';
import { pauseEndpoint, resumeEndpoint } from './pausing.ts';
import { rotateSecret } from './rotating.ts';
import { endpointView, rotatedView } from './schema.ts';
import type { EndpointParts } from './service.ts';

const ofOne = { tag: 'Webhooks', id: 'whk' } as const;

/** Pausing, resuming and rotating the secret of one endpoint (design decisions §15). */
export const steeringRoutes = ({ keyring }: Pick<EndpointParts, 'keyring'>): readonly Route[] => [
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
