import { describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { newId } from '../../src/ids.ts';
import { until } from '../support/house/child.ts';
import { acceptedAtLeast, arrivedAtLeast, begin, death, dies, statusOf } from './acts.ts';
import { invariantsHold, quiet } from './invariants.ts';
import { onStage, type Stage } from './stage.ts';

const LIMIT_MS = 120_000;

interface Command {
  readonly type: string;
  readonly payload: string;
}

/** Puts a command into the queue again, as if the relay had never finished it. */
async function again(stage: Stage, { type, payload }: Command, times = 3): Promise<void> {
  for (let i = 0; i < times; i++) {
    await stage.rows(
      'insert into facts (organization_id, id, type, is_event, payload) values ($1, $2, $3, false, $4)',
      [stage.organizationId, newId('fct'), type, payload],
    );
  }
  await quiet(stage);
}

/** Removes the workflow's last run, as its retention does in the end. */
async function forget(stage: Stage, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const { workflow, workflowService } = new Client({ connection });
    const handle = workflow.getHandle(workflowId);
    await handle.result();
    const workflowExecution = { workflowId };
    await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    // The server deletes what is behind its queue's checkpoint, and moves that every 30 seconds.
    await until('the history is gone', () => handle.describe().then(NO, YES), {
      timeoutMs: 60_000,
      everyMs: 250,
    });
  } finally {
    await connection.close();
  }
}

const YES = (): boolean => true;
const NO = (): boolean => false;

describe('a command that is relayed again and again', () => {
  it.concurrent(
    'sends a campaign once: while it runs, after it ended, and after its history was deleted',
    () =>
      onStage({}, async (stage) => {
        const { simulator, start } = stage.house;
        await simulator.faults({ latency_ms: 300 });
        const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
        const campaign = await stage.aCampaign(150);
        const payload = JSON.stringify({ campaignId: campaign });
        const command = { type: 'campaign.started', payload };

        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 10);
        await again(stage, command);
        expect(await statusOf(stage, campaign)).toBe('done');
        await again(stage, command);
        await forget(stage, `campaign:${campaign}`);
        await again(stage, command);
        await again(stage, { ...command, type: 'campaign.changed' });

        expect(await simulator.accepted()).toHaveLength(150);
        expect(stage.receiver.receipts).toHaveLength(150);
        await invariantsHold(stage, api, { campaigns: [campaign] });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'retries a webhook once for each of its times, also when its workflow has ended',
    () =>
      onStage({ events: ['contact.created'] }, async (stage) => {
        stage.receiver.answerWith(500);
        const { start } = stage.house;
        const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
        await stage.people(1);
        await arrivedAtLeast(stage, 1);
        const delivery = await onlyDelivery(stage);
        const command = { type: 'delivery.retrying', payload: JSON.stringify(delivery.ids) };

        await arrivedAtLeast(stage, 2);
        stage.receiver.answerWith(204);
        await again(stage, command);
        await again(stage, command);

        const { attempts } = await onlyDelivery(stage);
        expect(stage.receiver.receipts).toHaveLength(attempts);
        await invariantsHold(stage, api, { campaigns: [] });
      }),
    LIMIT_MS,
  );
});

async function onlyDelivery(stage: Stage) {
  const [row] = await stage.rows<{
    id: string;
    endpoint_id: string;
    event_id: string;
    attempts: number;
  }>('select id, endpoint_id, event_id, attempts from webhook_deliveries');
  const { id = '', endpoint_id: endpointId = '', event_id: eventId = '', attempts = 0 } = row ?? {};
  return { ids: { deliveryId: id, endpointId, eventId }, attempts };
}

describe('a relay that dies with a command in hand', () => {
  it.concurrent.each(['before-dispatch', 'before-complete'])(
    '%s: the campaign goes out, once',
    (point) =>
      onStage({}, async (stage) => {
        const { start, simulator } = stage.house;
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
