import { SAMPLE_AT, sampleData, sampleId } from '../outbox/samples.ts';

export const ENDPOINT_ID = 'whk_01KAH8Y3V8Q2M4N6P8R0S2T4V6';

export const endpointExample = {
  id: ENDPOINT_ID,
  name: 'Orders',
  url: 'https://hooks.example.com/whatsapp',
  events: ['message.received', 'message.sent'],
  created_at: '2026-11-20T12:00:00.000Z',
  status: 'active',
};

/** Sent for the first time, or resent. */
export const pendingExample = {
  id: sampleId('dlv'),
  webhook_id: ENDPOINT_ID,
  event_id: sampleId('evt'),
  type: 'message.received',
  status: 'pending',
  code: null,
  duration_ms: null,
  attempts: 0,
  next_attempt_at: null,
  response: null,
  error: null,
  created_at: SAMPLE_AT,
  finished_at: null,
};

export const retryingExample = {
  ...pendingExample,
  status: 'retrying',
  code: 503,
  duration_ms: 84,
  attempts: 11,
  next_attempt_at: '2026-11-21T05:03:30.000Z',
  response: 'Down for maintenance',
  error: 'status',
};

export const detailExample = {
  ...retryingExample,
  body: JSON.stringify({
    id: sampleId('evt'),
    type: 'message.received',
    version: 1,
    timestamp: SAMPLE_AT,
    organization_id: sampleId('org'),
    data: sampleData['message.received'],
  }),
  attempt_log: [
    {
      number: 1,
      started_at: SAMPLE_AT,
      code: 503,
      duration_ms: 84,
      response: 'Down for maintenance',
      error: 'status',
    },
  ],
  schedule: ['2026-11-21T05:03:30.000Z'],
};
