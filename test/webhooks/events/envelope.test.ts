import { describe, expect, it } from '@jest/globals';
import { WEBHOOK_EVENT_TYPES, webhookEvents } from '../../../src/outbox/events.ts';
import { eventFact } from '../../../src/outbox/record.ts';

const at = new Date('2026-11-21T12:00:00Z');
const message = {
  message: { id: 'msg_1', text: 'Oi' },
  contact: { name: 'Ana', phone: '+5511987654321' },
  number: { id: 'num_1' },
  contact_id: 'con_1',
  conversation_id: 'cnv_1',
  number_id: 'num_1',
};

describe('the envelope of an event', () => {
  it('has the six fields of the specification, the version 1 and the moment in UTC', () => {
    const data = { ...message, source: 'member' as const };

    const fact = eventFact('org_1', 'message.sent', data, at);

    const body = JSON.parse(fact.payload);
    expect(body).toEqual({
      id: fact.id,
      type: 'message.sent',
      version: 1,
      timestamp: '2026-11-21T12:00:00.000Z',
      organization_id: 'org_1',
      data,
    });
    expect(fact.id).toMatch(/^evt_[0-9A-Z]{26}$/);
  });

  it.each(WEBHOOK_EVENT_TYPES)(
    'of %s has contact_id, conversation_id and number_id, which may be null and never are missing',
    (type) => {
      const { shape } = webhookEvents[type];

      for (const name of ['contact_id', 'conversation_id', 'number_id'] as const) {
        expect(shape[name].safeParse(null).success).toBe(true);
        expect(shape[name].safeParse(undefined).success).toBe(false);
      }
    },
  );

  it('of a received message carries the message, the contact and the number; of a sent one its source too', () => {
    const { 'message.received': received, 'message.sent': sent } = webhookEvents;

    expect(received.safeParse(message).success).toBe(true);
    expect(received.safeParse({ ...message, source: 'member' }).success).toBe(false);
    for (const source of ['member', 'automation', 'campaign', 'reminder', 'api', 'system', 'phone'])
      expect(sent.safeParse({ ...message, source }).success).toBe(true);
    for (const source of ['contact', undefined])
      expect(sent.safeParse({ ...message, source }).success).toBe(false);
  });

  it('is of one of six types', () => {
    expect(WEBHOOK_EVENT_TYPES).toEqual([
      'message.received',
      'message.sent',
      'conversation.closed',
      'contact.created',
      'stage.changed',
      'automation.failed',
    ]);
  });
});
