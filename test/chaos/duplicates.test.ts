import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import {
  acceptedAtLeast,
  again,
  arrivedAtLeast,
  begin,
  death,
  dies,
  statusOf,
} from './support/acts.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;

describe('a command of the relay', () => {
  it.concurrent(
    'relayed again and again sends a campaign once, while it runs and after it ended',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ latency_ms: 300 });
        const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
        const campaign = await stage.aCampaign(150);
        const payload = JSON.stringify({ campaignId: campaign });
        const command = { type: 'campaign.started', payload };

        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 10);
        await again(stage, command);
        await quiet(stage);
        expect(await statusOf(stage, campaign)).toBe('done');
        await again(stage, command);
        await quiet(stage);
        await again(stage, { ...command, type: 'campaign.changed' });
        await quiet(stage);

        expect(await simulator.accepted()).toHaveLength(150);
        expect(stage.receiver.receipts).toHaveLength(150);
        await invariantsHold(stage, api, { campaigns: [campaign] });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'relayed again and again retries a webhook once for each of its times, also when its workflow has ended',
    () =>
      onChaosStage({ events: ['contact.created'] }, async (stage) => {
        stage.receiver.answerWith(500);
        const { start } = stage.processes;
        const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
        await stage.people(1);
        await arrivedAtLeast(stage, 1);
        await until('it is written', async () => (await onlyDelivery(stage)).attempts === 1);
        const delivery = await onlyDelivery(stage);
        const command = { type: 'delivery.retrying', payload: JSON.stringify(delivery.ids) };

        await arrivedAtLeast(stage, 2);
        stage.receiver.answerWith(204);
        await again(stage, command);
        await quiet(stage);
        await again(stage, command);
        await quiet(stage);

        const { attempts } = await onlyDelivery(stage);
        expect(stage.receiver.receipts).toHaveLength(attempts);
        await invariantsHold(stage, api, { campaigns: [] });
      }),
    LIMIT_MS,
  );

  it.concurrent.each(['before-dispatch', 'before-complete'])(
    'held by one that dies %s: the campaign goes out, once',
    (point) =>
      onChaosStage({}, async (stage) => {
        const { start, simulator } = stage.processes;
        const [api, worker] = await Promise.all([start('api'), start('worker', dies(point))]);
        const campaign = await stage.aCampaign(20);
        await begin(stage, api, campaign);
        await death(worker);

        await start('worker');
        await quiet(stage);

        expect(await statusOf(stage, campaign)).toBe('done');
        expect(await simulator.accepted()).toHaveLength(20);
        await invariantsHold(stage, api, { campaigns: [campaign] });
      }),
    LIMIT_MS,
  );
});

async function onlyDelivery(stage: ChaosStage) {
  const [row] = await stage.rows<{
    id: string;
    endpoint_id: string;
    event_id: string;
    attempts: number;
  }>('select id, endpoint_id, event_id, attempts from webhook_deliveries');
  const { id = '', endpoint_id: endpointId = '', event_id: eventId = '', attempts = 0 } = row ?? {};
  return { ids: { deliveryId: id, endpointId, eventId }, attempts };
}
