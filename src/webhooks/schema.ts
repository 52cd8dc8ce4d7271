import { z } from 'zod';
import { recordId, words } from '../http/fields.ts';
import { WEBHOOK_EVENT_TYPES } from '../outbox/events.ts';
import { DELIVERY_STATUSES, ENDPOINT_STATUSES } from './rules.ts';

const NAME_MAX = 60;
const URL_MAX = 2_048;

const eventType = z.enum(WEBHOOK_EVENT_TYPES).meta({ id: 'WebhookEventType' });

const fields = {
  name: words(NAME_MAX),
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

/** `POST /v1/webhooks` (specification; design decisions §15). The service checks the URL's own rules. */
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
    status: z.enum(ENDPOINT_STATUSES).meta({
      description:
        'Failures never pause an endpoint. It is also paused when the app that created it is disconnected, and by operators.',
    }),
  })
  .meta({ id: 'WebhookEndpoint' });

/** The secret is shown only in this answer. */
export const createdView = z
  .strictObject({
    id: z.string(),
    secret: z
      .string()
      .meta({ description: 'Verifies signatures. Store it; it is not shown again.' }),
  })
  .meta({ id: 'CreatedWebhookEndpoint' });

export const deletedView = z.strictObject({ id: z.string(), deleted: z.boolean() });

/** `POST …/rotate` (design decisions §15): shown only in this answer. */
export const rotatedView = z
  .strictObject({
    secret: z.string().meta({ description: 'It signs from now on, and is not shown again.' }),
    previous_valid_until: z.iso.datetime().meta({
      description:
        'Until then, deliveries also carry a signature made with the previous secret. It is past if nothing opens that one any more: the new one then signs alone.',
    }),
  })
  .meta({ id: 'RotatedWebhookSecret' });

/** `POST …/test`: one of the endpoint's events; the first one by default. */
export const testRequest = z.strictObject({
  type: eventType.optional().meta({
    description: "One of the endpoint's events; the first one by default.",
  }),
});

export const deliveryStatus = z.enum(DELIVERY_STATUSES).meta({ id: 'WebhookDeliveryStatus' });

export const deliveryFilters = z.object({
  status: deliveryStatus.optional().meta({ description: 'Only deliveries with this status.' }),
  event_id: recordId.optional().meta({
    description: 'Only the delivery of this event: the `webhook-id` of a request.',
  }),
});
export type DeliveryFilters = z.infer<typeof deliveryFilters>;

const attemptError = z
  .enum([
    'timeout',
    'connection',
    'tls',
    'dns',
    'private_address',
    'redirect',
    'status',
    'internal',
    'expired',
    'cancelled_by_operator',
  ])
  .meta({ id: 'WebhookDeliveryError' });

/** The result of an attempt, or of a delivery's last one. */
const outcome = {
  code: z.int().nullable().meta({ description: 'The HTTP status that came back.' }),
  duration_ms: z.int().nullable().meta({
    description: 'From resolving the host name to the end of the answer.',
  }),
  response: z.string().nullable().meta({ description: 'The first 500 characters of the answer.' }),
  error: attemptError.nullable().meta({
    description:
      'Why it failed; `expired` when 24 hours passed, or the endpoint was deleted before an attempt.',
  }),
};

const delivery = {
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string().meta({ description: 'The `webhook-id` of every attempt.' }),
  type: eventType,
  status: deliveryStatus,
  code: outcome.code,
  duration_ms: outcome.duration_ms,
  attempts: z.int().meta({ description: 'Made so far, including those before a resend.' }),
  next_attempt_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Null unless the status is `retrying`.' }),
  response: outcome.response,
  error: outcome.error,
  created_at: z.iso.datetime(),
  finished_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Null while more attempts are due.' }),
};

/** Design decisions §15. */
export const deliveryView = z.strictObject(delivery).meta({ id: 'WebhookDelivery' });

const attemptView = z
  .strictObject({
    number: z.int(),
    started_at: z.iso.datetime(),
    code: outcome.code,
    duration_ms: z.int(),
    response: outcome.response,
    error: outcome.error,
  })
  .meta({ id: 'WebhookAttempt' });

export const deliveryDetailView = z
  .strictObject({
    ...delivery,
    body: z.string().meta({ description: 'The exact text that every attempt sends.' }),
    attempt_log: z.array(attemptView).meta({ description: 'Every attempt made, oldest first.' }),
    schedule: z.array(z.iso.datetime()).meta({
      description:
        'When the remaining attempts are due if all fail; each may come up to 10 % of its interval later.',
    }),
  })
  .meta({ id: 'WebhookDeliveryDetail' });

export const resentView = z.strictObject({
  resent: z.int().meta({ description: 'How many are resent.' }),
});

export type NewEndpoint = z.output<typeof newEndpoint>;
export type EndpointPatch = z.output<typeof endpointPatch>;
export type EndpointView = z.input<typeof endpointView>;
export type RotatedView = z.input<typeof rotatedView>;
export type TestRequest = z.output<typeof testRequest>;
export type DeliveryView = z.input<typeof deliveryView>;
export type DeliveryDetailView = z.input<typeof deliveryDetailView>;
export type AttemptView = z.input<typeof attemptView>;
