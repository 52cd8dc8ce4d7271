import { z } from 'zod';
import { words } from '../http/fields.ts';
import { WEBHOOK_EVENT_TYPES } from '../outbox/events.ts';

const NAME_MAX = 60;
const URL_MAX = 2_048;

const eventType = z.enum(WEBHOOK_EVENT_TYPES).meta({ id: 'WebhookEventType' });

const fields = {
  name: words(1, NAME_MAX),
  url: z.string().min(1).meta({ format: 'uri', maxLength: URL_MAX }),
  events: z
    .array(eventType)
    .min(1)
    .max(WEBHOOK_EVENT_TYPES.length)
    .refine((events) => new Set(events).size === events.length, {
      message: 'Name each event once.',
      params: { rule: 'unique' },
    })
    .meta({ uniqueItems: true }),
};

/** `POST /v1/webhooks` (specification; design decisions §15). The URL's own rules are the service's. */
export const newEndpoint = z.strictObject(fields);

/** `PATCH /v1/webhooks/{id}` (design decisions §15): what is left out stays. */
export const endpointPatch = z.strictObject(fields).partial();

export const endpointView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    events: z.array(eventType),
    created_at: z.iso.datetime(),
    status: z.enum(['active', 'paused']),
  })
  .meta({ id: 'WebhookEndpoint' });

/** The secret is shown in this answer and never again. */
export const createdView = z
  .strictObject({ id: z.string(), secret: z.string() })
  .meta({ id: 'CreatedWebhookEndpoint' });

export const deletedView = z.strictObject({ id: z.string(), deleted: z.boolean() });

export type NewEndpoint = z.output<typeof newEndpoint>;
export type EndpointPatch = z.output<typeof endpointPatch>;
export type EndpointView = z.input<typeof endpointView>;
