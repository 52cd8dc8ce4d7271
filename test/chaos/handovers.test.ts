import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { until } from '../support/house/child.ts';
import { acceptedAtLeast, acceptedSettled, begin, gapAfter } from './acts.ts';
import { invariantsHold, quiet } from './invariants.ts';
import { onStage, type Stage } from './stage.ts';

const LIMIT_MS = 90_000;
const PEOPLE = 600;

describe('a worker that ends as at a deploy, in a campaign with webhooks', () => {
  it.concurrent(
    'hands over within six seconds: nobody is lost, nothing is sent twice, nothing is unconfirmed',
    () =>
      onStage({}, async (stage) => {
        const { simulator, start } = stage.house;
        await simulator.faults({ latency_ms: 500 });
        const [api, old] = await Promise.all([start('api'), start('worker')]);
        const campaign = await stage.aCampaign(PEOPLE);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 100);

        await start('worker');
        const stoppedAt = Date.now();
        await old.kill('SIGTERM');
        await quiet(stage);

        expect(await old.exited).toBe(0);
        expect(await gapAfter(stage, stoppedAt)).toBeLessThanOrEqual(6_000);
        expect(await simulator.accepted()).toHaveLength(PEOPLE);
        const [detail] = await invariantsHold(stage, api, { campaigns: [campaign], spare: 0 });
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }),
    LIMIT_MS,
  );
});

describe('a worker that stands still until its successor has finished, and then goes on', () => {
  it.concurrent(
    'changes nothing that was settled without it, and sends to nobody any more',
    () =>
      onStage({}, async (stage) => {
        const { simulator, start } = stage.house;
        await simulator.faults({ latency_ms: 500, status_webhooks: false });
        const [api, ...workers] = await Promise.all([
          start('api'),
          start('worker'),
          start('worker'),
        ]);
        const campaign = await stage.aCampaign(PEOPLE);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 100);
        const pid = await pidOfSender(stage, campaign);
        const zombie = workers.find((worker) => worker.pid === pid);

        process.kill(pid, 'SIGSTOP');
        const stoppedAt = Date.now();
        await quiet(stage);
        expect(zombie).toBeDefined();
        expect(await gapAfter(stage, stoppedAt)).toBeLessThanOrEqual(12_000);
        const [settled, accepted] = [await outcome(stage), await simulator.accepted()];
        process.kill(pid, 'SIGCONT');
        await sleep(3_000);

        expect(await outcome(stage)).toEqual(settled);
        expect(await simulator.accepted()).toEqual(accepted);
        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        await invariantsHold(stage, api, { campaigns: [campaign], spare: 8 });
      }),
    LIMIT_MS,
  );
});

const outcome = (stage: Stage): Promise<unknown[]> =>
  stage.rows('select id, status, attempts, settled_at from campaign_recipients order by id');

/** The process that runs the campaign's batch, as an operator sees it in the Temporal UI. */
async function pidOfSender(stage: Stage, campaign: string): Promise<number> {
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const handle = new Client({ connection }).workflow.getHandle(`campaign:${campaign}`);
    let identity = '';
    await until('a worker has the batch', async () => {
      const { raw } = await handle.describe();
      identity = raw.pendingActivities?.[0]?.lastWorkerIdentity ?? '';
      return identity !== '';
    });
    return Number(identity.split('@')[0]);
  } finally {
    await connection.close();
  }
}
