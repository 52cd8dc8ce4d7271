import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pairedSession, qualityUpdate, webhookEnvelope } from '../../src/gateway/cloud-api/wire.ts';
import { type House, NUMBER, openHouse } from './support/house.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const tell = (event: string) => house.post('/simulator/number', { phone_number_id: NUMBER, event });

const changes = () =>
  house.receiver.received
    .flatMap(({ raw }) => webhookEnvelope.parse(JSON.parse(raw.toString('utf8'))).entry)
    .flatMap((entry) => entry.changes);

describe('what happens to a number of the simulator', () => {
  it('is told in the words of WhatsApp, or of the device that is paired with it', async () => {
    const flagged = await tell('FLAGGED');
    const closed = await tell('closed');

    expect([flagged.body.delivered, closed.body.delivered]).toEqual([true, true]);
    const [quality, session] = changes();
    expect(quality?.field).toBe('phone_number_quality_update');
    expect(qualityUpdate.parse(quality?.value)).toMatchObject({
      display_phone_number: NUMBER,
      event: 'FLAGGED',
    });
    expect(session?.field).toBe('paired_session');
    expect(pairedSession.parse(session?.value)).toMatchObject({
      metadata: { phone_number_id: NUMBER },
      event: 'closed',
    });
  });

  it('is refused when it is nothing that can happen', async () => {
    const { status, body } = await tell('explodes');

    expect([status, body.error.message.startsWith('event:')]).toEqual([400, true]);
    expect(house.receiver.received).toHaveLength(0);
  });
});
