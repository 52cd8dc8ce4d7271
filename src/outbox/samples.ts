import type { IdPrefix } from '../ids.ts';
import type { WebhookEventData, WebhookEventType } from './events.ts';

/** Ids that no record ever has: all have the same time and the same random part. */
export const sampleId = (prefix: IdPrefix): string => `${prefix}_01KAH8Y3V8Q2M4N6P8R0S2T4V6`;

const contact_id = sampleId('con');
const conversation_id = sampleId('cnv');
const number_id = sampleId('num');
/** The time of the examples. */
export const SAMPLE_AT = '2026-11-20T12:00:00.000Z';

const message = {
  message: { id: sampleId('msg'), text: 'Bom dia! Ainda tem?', type: 'text' },
  contact: { name: 'Ana Souza', phone: '+5511987654321' },
  number: { id: number_id },
  contact_id,
  conversation_id,
  number_id,
};

/** An example of each event's data, shown in the reference and sent as test events. */
export const sampleData: { readonly [T in WebhookEventType]: WebhookEventData<T> } = {
  'message.received': message,
  'message.sent': { ...message, source: 'api' },
  'conversation.closed': {
    conversation: {
      id: conversation_id,
      opened_at: '2026-11-20T11:00:00.000Z',
      closed_at: SAMPLE_AT,
      assigned_member_id: sampleId('mem'),
      assigned_team_id: null,
    },
    closed_by: { type: 'member', id: sampleId('mem'), name: 'Bia Lima' },
    messages: { inbound: 4, outbound: 3 },
    first_reply_seconds: 42,
    contact_id,
    conversation_id,
    number_id,
  },
  'contact.created': {
    contact: {
      id: contact_id,
      name: 'Ana Souza',
      phone: '+5511987654321',
      email: '',
      tags: ['vip'],
      origin: 'import',
      created_via: 'api',
    },
    created_by: { type: 'api', id: sampleId('sva') },
    contact_id,
    conversation_id: null,
    number_id: null,
  },
  'stage.changed': {
    deal: {
      id: sampleId('dea'),
      title: 'Cadeira de escritório',
      value_cents: 89_900,
      currency: 'BRL',
      status: 'won',
    },
    pipeline: { id: sampleId('pip'), name: 'Vendas' },
    from: { id: sampleId('stg'), name: 'Proposta', kind: 'open' },
    to: { id: 'stg_01KAH8Y3V8Q2M4N6P8R0S2T4V7', name: 'Ganho', kind: 'won' },
    changed_by: { type: 'member', id: sampleId('mem') },
    contact_id,
    conversation_id,
    number_id,
  },
  'automation.failed': {
    automation: { id: sampleId('atm'), name: 'Boas-vindas', version: 3 },
    run: {
      id: sampleId('run'),
      started_at: '2026-11-20T11:59:58.000Z',
      failed_at: SAMPLE_AT,
      step_id: 'greet',
      step_type: 'send_message',
    },
    error: { code: 'out_of_window', message: 'The 24-hour window is closed. Send a template.' },
    contact_id,
    conversation_id,
    number_id,
  },
};
