import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pairedSession, qualityUpdate, webhookEnvelope } from '../../src/gateway/cloud-api/wire.ts';
import { NUMBER, openSimulatorStage, type SimulatorStage } from './support/stage.ts';

let stage: SimulatorStage;
beforeEach(async () => {
  stage = await openSimulatorStage();
});
afterEach(() => stage.close());

const tell = (event: string) => stage.post('/simulator/number', { phone_number_id: NUMBER, event });

const changes = () =>
  stage.receiver.received
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
    expect(stage.receiver.received).toHaveLength(0);
  });
});
