import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiSchemaObject,
} from 'zod-openapi';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType, webhookEvents } from '../../outbox/events.ts';
import { SAMPLE_AT, sampleData, sampleId } from '../../outbox/samples.ts';
import { allowAdditions } from './additions.ts';

const emitted: Readonly<Record<WebhookEventType, string>> = {
  'message.received':
    'A message arrives from a contact, who may also correct an earlier one (`type`); never from a group.',
  'message.sent':
    'A message to a contact leaves successfully, from a person, automation, campaign, reminder or the API. It may still fail: no event tells what became of it, `GET /v1/messages/{id}` does.',
  'conversation.closed': 'A conversation is closed in the inbox or by an automation.',
  'contact.created':
    'A contact is created: by hand, API, form, import, first message or automation.',
  'stage.changed':
    'A deal changes stage in a pipeline, or is created in one (`from` is null), by a person, an automation, an API key or the service.',
  'automation.failed': 'An automation run ends in failure.',
};

const HOW_TO_RECEIVE =
  'Answer with any 2xx within 10 seconds; of the body of the answer 500 characters are kept to be read, redirects are not ' +
  'followed. Anything else is tried again: after 30 seconds, then doubling, 12 attempts within 24 hours. An address that ' +
  'does not resolve, or leads to a private one, is not tried again. Deliveries may come twice and out of order: remember ' +
  '`webhook-id`.\n\nVerify before you believe: the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{raw body}`, keyed by ' +
  'the bytes whose base64 follows `whsec_`, in base64, equals one of the `v1,…` signatures, and the timestamp is within ' +
  "5 minutes of your clock, in either direction. For 24 hours after a rotation there are two, the new secret's first.";

const headers = z.object({
  'webhook-id': z.string().meta({
    param: { id: 'WebhookId' },
    description: 'The id of the event, the same over all attempts; equals `id` in the body.',
    example: sampleId('evt'),
  }),
  'webhook-timestamp': z.string().meta({
    param: { id: 'WebhookTimestamp' },
    description: 'Unix seconds of this attempt.',
    example: '1795176000',
  }),
  'webhook-signature': z.string().meta({
    param: { id: 'WebhookSignature' },
    description:
      'One or more `v1,<base64>`, separated by spaces: one for each secret that is valid.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

/** `message.received` → `MessageReceivedEvent`. */
const nameOf = (type: string): string =>
  `${type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

const envelope = (type: WebhookEventType) =>
  z.strictObject({
    id: z.string(),
    type: z.literal(type),
    version: z.literal(1),
    timestamp: z.iso.datetime().meta({ description: 'When it happened.' }),
    organization_id: z.string().meta({ description: 'The workspace.' }),
    data: webhookEvents[type],
  });

/** Made here, because the library would describe them as requests: they are, but ours. */
export const webhookSchemas = () =>
  Object.fromEntries(WEBHOOK_EVENT_TYPES.map((type) => [nameOf(type), schemaOf(type)]));

function schemaOf(type: WebhookEventType): ZodOpenApiSchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(envelope(type), {
    override: ({ jsonSchema }) => allowAdditions(jsonSchema),
  });
  return schema as ZodOpenApiSchemaObject;
}

function delivery(type: WebhookEventType): ZodOpenApiOperationObject {
  const example = {
    id: sampleId('evt'),
    type,
    version: 1,
    timestamp: SAMPLE_AT,
    organization_id: sampleId('org'),
    data: sampleData[type],
  };
  return {
    operationId: `on_${type.replace('.', '_')}`,
    summary: emitted[type],
    description: HOW_TO_RECEIVE,
    tags: ['Webhooks'],
    security: [],
    requestParams: { header: headers },
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${nameOf(type)}` }, example },
      },
    },
    responses: { '2XX': { description: 'Received.' } },
  };
}

/** What a customer's server receives: the same catalogue that the outbox is checked against. */
export const webhookPaths = (): ZodOpenApiPathsObject =>
  Object.fromEntries(WEBHOOK_EVENT_TYPES.map((type) => [type, { post: delivery(type) }]));
