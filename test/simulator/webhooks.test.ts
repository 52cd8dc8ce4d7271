import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { APP_SECRET, type House, NUMBER, openHouse } from './support/house.ts';
import { signatureOf } from './support/receiver.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const to = '5511987654321';

describe('webhooks of the simulator', () => {
  it('are signed over their raw bytes', async () => {
    await house.post('/simulator/inbound', {
      phone_number_id: NUMBER,
      from: to,
      text: 'Olá, é o João 🙂',
    });
    await house.send(to);
    await eventually(() => house.statusesOf(`key-${to}`).length === 2);

    expect(house.receiver.received.length).toBeGreaterThanOrEqual(2);
    for (const { raw, signature } of house.receiver.received) {
      expect(signature).toBe(signatureOf(raw, APP_SECRET));
    }
  });

  it('echo the correlation, the recipient and the message id in every status', async () => {
    const { body } = await house.send(to, 'recipient-7');
    await eventually(() => house.statusesOf('recipient-7').length === 2);

    expect(house.receiver.values()[0]?.metadata.phone_number_id).toBe(NUMBER);
    for (const status of house.receiver.statuses()) {
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
    await house.faults({ status_webhooks: false });
    await Promise.all(Array.from({ length: 500 }, (_, n) => house.send(`55119872${10_000 + n}`)));
    await house.faults({});
    await eventually(() => house.receiver.statuses().length === 1000);

    expect(house.receiver.statuses()).toHaveLength(1000);
    const sizes = house.receiver.values().map(({ statuses = [] }) => statuses.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeLessThan(200);
  });

  it('are repeated until the service takes them, with the same bytes', async () => {
    house.receiver.answerWith(503);
    await house.send(to);
    const bodies = () => house.receiver.received.map(({ raw }) => raw.toString());
    // Both statuses, in one post or in two, and at least one of the posts again.
    await eventually(() => {
      const told = new Set(house.receiver.statuses().map(({ status }) => status));
      return told.size === 2 && bodies().length > new Set(bodies()).size;
    });
    const before = new Set(bodies());
    const refused = bodies().length;
    house.receiver.answerWith(200);
    await eventually(() => new Set(bodies().slice(refused)).size >= before.size);

    expect(new Set(bodies().slice(refused))).toEqual(before);
    const count = house.receiver.received.length;
    await sleep(700);
    expect(house.receiver.received).toHaveLength(count);
  });
});

describe('a person who writes', () => {
  const inbound = { phone_number_id: NUMBER, from: `+${to}`, name: 'Ana Souza', text: 'Hi there' };

  it('reaches the service, and the answer says so', async () => {
    const { status, body } = await house.post('/simulator/inbound', inbound);

    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.stringMatching(/^wamid\./), delivered: true });
    expect(house.receiver.messages()).toMatchObject([
      { id: body.id, from: to, type: 'text', text: { body: 'Hi there' } },
    ]);
    expect(house.receiver.values()[0]).toMatchObject({
      metadata: { phone_number_id: NUMBER },
      contacts: [{ wa_id: to, profile: { name: 'Ana Souza' } }],
    });
  });

  it('is told when the service did not take it at once', async () => {
    house.receiver.answerWith(500);
    const { body } = await house.post('/simulator/inbound', inbound);

    expect(body.delivered).toBe(false);
  });

  it.each([
    ['text', { ...inbound, text: '' }],
    ['from', { ...inbound, from: 'Ana' }],
    ['phone_number_id', { ...inbound, phone_number_id: undefined }],
    ['media', { ...inbound, media: 'x' }],
    ['body', '{'],
  ])('is refused when %s is wrong, and nothing is sent', async (field, body) => {
    const answer = await house.post('/simulator/inbound', body);

    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(field);
    expect(house.receiver.received).toHaveLength(0);
  });

  it('cannot be played by a form of another site', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status } = await house.post('/simulator/inbound', inbound, headers);

    expect(status).toBe(415);
    expect(house.receiver.received).toHaveLength(0);
  });
});
