import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
  webhookEvents,
} from '../../../src/outbox/events.ts';
import { sampleData } from '../../../src/outbox/samples.ts';

const ID = 'id|null';
const MESSAGE = {
  message: {
    id: 'id',
    text: 'string',
    'type?': 'string',
    'reply_to_id?': 'id',
    'media?': { type: 'image|video|audio|document|sticker', name: 'string', id: 'id' },
  },
  contact: { name: 'string', phone: 'string' },
  number: { id: 'id' },
  contact_id: ID,
  conversation_id: ID,
  number_id: ID,
};
const COMMON = { contact_id: ID, conversation_id: ID, number_id: ID };
const DOER = 'member|automation|api|system';
const KIND = 'open|won|lost';
const STAGE = { id: 'id', name: 'string', kind: KIND };

/**
 * Specification, Delivery, and design decisions §16, as they are written, with what was added since (§26): `?` may be
 * absent.
 */
const WRITTEN: Readonly<Record<WebhookEventType, object>> = {
  'message.received': {
    ...MESSAGE,
    contact: { ...MESSAGE.contact, 'wa_user_id?': 'id' },
  },
  'message.sent': {
    ...MESSAGE,
    source: 'member|automation|campaign|reminder|api|system|phone',
  },
  'conversation.closed': {
    ...COMMON,
    conversation: {
      id: 'id',
      opened_at: 'date-time',
      closed_at: 'date-time',
      assigned_member_id: ID,
      assigned_team_id: ID,
    },
    closed_by: { type: DOER, id: ID, name: 'string|null' },
    messages: { inbound: 'integer', outbound: 'integer' },
    first_reply_seconds: 'number|null',
  },
  'contact.created': {
    ...COMMON,
    contact: {
      id: 'id',
      name: 'string',
      phone: 'string',
      email: 'string',
      tags: 'string[]',
      origin: 'direct|form|import|campaign|team',
      created_via: 'message|form|import|api|campaign|member|automation',
    },
    created_by: { type: DOER, id: ID },
  },
  'stage.changed': {
    ...COMMON,
    deal: {
      id: 'id',
      title: 'string',
      value_cents: 'integer|null',
      currency: 'string',
      status: KIND,
    },
    pipeline: { id: 'id', name: 'string' },
    from: { ...STAGE, or: 'null' },
    to: STAGE,
    changed_by: { type: DOER, id: ID },
  },
  'automation.failed': {
    ...COMMON,
    automation: { id: 'id', name: 'string', version: 'integer' },
    run: {
      id: 'id',
      started_at: 'date-time',
      failed_at: 'date-time',
      step_id: ID,
      step_type: 'string|null',
    },
    error: { code: 'string', message: 'string' },
  },
};

interface Shape {
  readonly type?: string | readonly string[];
  readonly minLength?: number;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** A schema in the words of the table above. */
function wordsOf(shape: Shape): unknown {
  if (shape.anyOf) {
    const [some = {}, ...others] = shape.anyOf.filter(({ type }) => type !== 'null');
    expect([others.length, shape.anyOf.length]).toEqual([0, 2]);
    const words = wordsOf(some);
    return typeof words === 'string' ? `${words}|null` : { ...(words as object), or: 'null' };
  }
  if (shape.properties) {
    expect(shape.additionalProperties).toBe(false);
    const entries = Object.entries(shape.properties).map(([name, of]) => {
      const optional = shape.required?.includes(name) ? '' : '?';
      return [`${name}${optional}`, wordsOf(of)];
    });
    return Object.fromEntries(entries);
  }
  if (shape.enum) return shape.enum.join('|');
  if (Array.isArray(shape.type)) return shape.type.join('|');
  if (shape.type === 'array') return `${String(wordsOf(shape.items ?? {}))}[]`;
  if (shape.type === 'string') return shape.format ?? (shape.minLength === 1 ? 'id' : 'string');
  return shape.type;
}

describe('the catalogue of events', () => {
  it('has the six types of the specification, in its order', () => {
    expect(WEBHOOK_EVENT_TYPES).toEqual(Object.keys(WRITTEN));
  });

  it.each(WEBHOOK_EVENT_TYPES)('has the data that is written down for %s, and no more', (type) => {
    const schema = z.toJSONSchema(webhookEvents[type]) as Shape;

    expect(wordsOf(schema)).toEqual(WRITTEN[type]);
  });

  it.each(WEBHOOK_EVENT_TYPES)(
    'takes its own sample of %s, and nothing with a key too many',
    (type) => {
      const data = sampleData[type];

      expect(webhookEvents[type].parse(data)).toEqual(data);
      expect(webhookEvents[type].safeParse({ ...data, more: 1 }).success).toBe(false);
    },
  );
});
