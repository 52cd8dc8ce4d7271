import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { signatureOf } from './support/receiver.ts';
import { APP_SECRET, NUMBER, openSimulatorStage, type SimulatorStage } from './support/stage.ts';

let stage: SimulatorStage;
beforeEach(async () => {
  stage = await openSimulatorStage();
});
afterEach(() => stage.close());

const to = '5511987654321';

describe('webhooks of the simulator', () => {
  it('are signed over their raw bytes', async () => {
    await stage.post('/simulator/inbound', {
      phone_number_id: NUMBER,
      from: to,
      text: 'Olá, é o João 🙂',
    });
    await stage.send(to);
    await eventually(() => stage.statusesOf(`key-${to}`).length === 2);

    expect(stage.receiver.received.length).toBeGreaterThanOrEqual(2);
    for (const { raw, signature } of stage.receiver.received) {
      expect(signature).toBe(signatureOf(raw, APP_SECRET));
    }
  });

  it('echo the correlation, the recipient and the message id in every status', async () => {
    const { body } = await stage.send(to, 'recipient-7');
    await eventually(() => stage.statusesOf('recipient-7').length === 2);

    expect(stage.receiver.values()[0]?.metadata.phone_number_id).toBe(NUMBER);
    for (const status of stage.receiver.statuses()) {
      expect(status).toMatchObject({
        id: body.messages[0]?.id,
        recipient_id: to,
        biz_opaque_callback_data: 'recipient-7',
        pricing: { billable: true },
      });
      expect(Math.abs(Number(status.timestamp) - Date.now() / 1000)).toBeLessThan(300);
    }
  });

  it('travel together: 500 messages need few posts, none with more than 100 statuses', async () => {
    await stage.faults({ status_webhooks: false });
    await Promise.all(Array.from({ length: 500 }, (_, n) => stage.send(`55119872${10_000 + n}`)));
    await stage.faults({});
    await eventually(() => stage.receiver.statuses().length === 1000);

    expect(stage.receiver.statuses()).toHaveLength(1000);
    const sizes = stage.receiver.values().map(({ statuses = [] }) => statuses.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeLessThan(200);
  });

  it('are repeated until the service takes them, with the same bytes', async () => {
    stage.receiver.answerWith(503);
    await stage.send(to);
    const bodies = () => stage.receiver.received.map(({ raw }) => raw.toString());
    // Both statuses, in one post or in two, and at least one of the posts again.
    await eventually(() => {
      const told = new Set(stage.receiver.statuses().map(({ status }) => status));
      return told.size === 2 && bodies().length > new Set(bodies()).size;
    });
    const before = new Set(bodies());
    const refused = bodies().length;
    stage.receiver.answerWith(200);
    await eventually(() => new Set(bodies().slice(refused)).size >= before.size);

    expect(new Set(bodies().slice(refused))).toEqual(before);
    const count = stage.receiver.received.length;
    await sleep(700);
    expect(stage.receiver.received).toHaveLength(count);
  });
});

describe('a person who writes', () => {
  const inbound = { phone_number_id: NUMBER, from: `+${to}`, name: 'Ana Souza', text: 'Hi there' };

  it('reaches the service, and the answer says so', async () => {
    const { status, body } = await stage.post('/simulator/inbound', inbound);

    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.stringMatching(/^wamid\./), delivered: true });
    expect(stage.receiver.messages()).toMatchObject([
      { id: body.id, from: to, type: 'text', text: { body: 'Hi there' } },
    ]);
    expect(stage.receiver.values()[0]).toMatchObject({
      metadata: { phone_number_id: NUMBER },
      contacts: [{ wa_id: to, profile: { name: 'Ana Souza' } }],
    });
  });

  it.each([500, 404, 304])(
    'is told when the service did not take it at once, but answered %i',
    async (status) => {
      stage.receiver.answerWith(status);
      const { body } = await stage.post('/simulator/inbound', inbound);

      expect(body.delivered).toBe(false);
    },
  );

  it.each([
    ['text', { ...inbound, text: '' }],
    ['from', { ...inbound, from: 'Ana' }],
    ['phone_number_id', { ...inbound, phone_number_id: undefined }],
    ['media', { ...inbound, media: 'x' }],
    ['body', '{'],
  ])('is refused when %s is wrong, and nothing is sent', async (field, body) => {
    const answer = await stage.post('/simulator/inbound', body);

    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(field);
    expect(stage.receiver.received).toHaveLength(0);
  });

  it('cannot be played by a form of another site', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status } = await stage.post('/simulator/inbound', inbound, headers);

    expect(status).toBe(415);
    expect(stage.receiver.received).toHaveLength(0);
  });
});
