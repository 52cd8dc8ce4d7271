import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../outbox/events.ts';

const NAME_MAX = 60;

const eventType = z.enum(WEBHOOK_EVENT_TYPES);

/** `POST /v1/webhooks` (specification; design decisions §15). The URL's own rules are the service's. */
export const newEndpoint = z.strictObject({
  name: z
    .string()
    .min(1)
    .refine((name) => [...name].length <= NAME_MAX, {
      message: `Must be at most ${NAME_MAX} characters.`,
      params: { rule: 'max_length', limit: NAME_MAX },
    }),
  url: z.string().min(1),
  events: z
    .array(eventType)
    .min(1)
    .max(WEBHOOK_EVENT_TYPES.length)
    .refine((events) => new Set(events).size === events.length, {
      message: 'Name each event once.',
      params: { rule: 'unique' },
    }),
});

export const endpointView = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(eventType),
  created_at: z.iso.datetime(),
  status: z.enum(['active', 'paused']),
});

/** The secret is shown in this answer and never again. */
export const createdView = z.strictObject({ id: z.string(), secret: z.string() });

export const deletedView = z.strictObject({ id: z.string(), deleted: z.boolean() });

export type NewEndpoint = z.output<typeof newEndpoint>;
export type EndpointView = z.input<typeof endpointView>;
