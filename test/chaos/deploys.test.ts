import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { IN_FLIGHT_PER_ENDPOINT } from '../../src/webhooks/lanes/first-attempts/queues.ts';
import { ownPort } from '../support/ports.ts';
import { until } from '../support/processes/child.ts';
import { acceptedAtLeast, acceptedSettled, begin, gapAfter, unrecorded } from './support/acts.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { besides, changedRelease, lookAt } from './support/operator.ts';
import { askedOfTheSdk } from './support/sdk-figures.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
/** A few seconds are usual (measured in bench/); only what waits for a timeout comes near this. */
const HANGS_MS = 60_000;
const PEOPLE = 600;

describe('a worker that gives way to another', () => {
  it.concurrent(
    'because it is asked to end: it goes on, nobody lost, twice or unconfirmed',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ latency_ms: 500 });
        const [api, ...workers] = await Promise.all([
          start('api'),
          start('worker'),
          start('worker'),
        ]);
        const campaign = await stage.aCampaign(PEOPLE);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 100);

        const pid = await slowlySending(stage, campaign);
        const old = workers.find((worker) => worker.pid === pid);
        const stoppedAt = Date.now();
        // Whoever is impatient asks again: what it has begun to end it still ends.
        void old?.kill('SIGTERM');
        await sleep(100);
        await old?.kill('SIGTERM');
        await quiet(stage);

        expect(await old?.exited).toBe(0);
        expect(await gapAfter(stage, stoppedAt)).toBeLessThanOrEqual(HANGS_MS);
        expect(await simulator.accepted()).toHaveLength(PEOPLE);
        const [detail] = await invariantsHold(stage, api, { campaigns: [campaign], spare: 0 });
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'because it stands still: when it goes on it changes nothing, and sends to nobody any more',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ latency_ms: 500, status_webhooks: false });
        const [api, ...workers] = await Promise.all([
          start('api'),
          start('worker'),
          start('worker'),
        ]);
        const campaign = await stage.aCampaign(PEOPLE);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 100);
        const pid = await slowlySending(stage, campaign, { status_webhooks: false });
        const zombie = workers.find((worker) => worker.pid === pid);

        process.kill(pid, 'SIGSTOP');
        const stoppedAt = Date.now();
        // What it was about to write when it was stopped, it writes when it goes on.
        const spare = (await unrecorded(stage)).length + IN_FLIGHT_PER_ENDPOINT;
        await quiet(stage);
        expect(zombie).toBeDefined();
        expect(await gapAfter(stage, stoppedAt)).toBeLessThanOrEqual(HANGS_MS);
        const settled = await outcome(stage);
        const accepted = await simulator.accepted();
        process.kill(pid, 'SIGCONT');
        await sleep(3_000);

        expect(await outcome(stage)).toEqual(settled);
        expect(await simulator.accepted()).toEqual(accepted);
        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        await invariantsHold(stage, api, { campaigns: [campaign], spare });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'whose workflow code goes another way: its figures have all that alerts ask for, the campaign waits, and ends once that is taken back',
    () =>
      onChaosStage({}, async (stage) => {
        const { start, simulator } = stage.processes;
        await simulator.faults({ latency_ms: 500 });
        const [api, before] = await Promise.all([start('api'), start('worker')]);
        const campaign = await stage.aCampaign(400);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 50);

        await before.kill('SIGTERM');
        const shownAt = `127.0.0.1:${await ownPort()}`;
        const changed = await start('worker', {
          DATA_DIR: await changedRelease(),
          TEMPORAL_METRICS_ADDRESS: shownAt,
        });
        await until(
          'the run is refused again and again',
          async () => (await lookAt(stage, campaign)).attempt >= 3,
          { child: changed },
        );
        expect((await lookAt(stage, campaign)).status).toBe('RUNNING');
        // Begun by this release, whose step no activity answers to: that fails too.
        await besides(stage, 'sendCampaign', async () => {
          const figures = async () => (await fetch(`http://${shownAt}/metrics`)).text();
          await until(
            'it shows what alerts and dashboard ask for',
            async () => {
              const { all, missing } = askedOfTheSdk(await figures());
              expect(all.length).toBeGreaterThanOrEqual(9);
              expect(missing).toEqual([]);
              return true;
            },
            { child: changed },
          );
        });
        await changed.kill('SIGTERM');
        await start('worker');
        await quiet(stage);

        expect(await simulator.accepted()).toHaveLength(400);
        const [detail] = await invariantsHold(stage, api, { campaigns: [campaign], spare: 0 });
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }),
    LIMIT_MS,
  );
});

const outcome = (stage: ChaosStage): Promise<unknown[]> =>
  stage.rows('select id, status, attempts, settled_at from campaign_recipients order by id');

/** Who has the batch. It is slower while that is looked for, so that there is something left to do. */
async function slowlySending(stage: ChaosStage, campaign: string, faults = {}): Promise<number> {
  const { simulator } = stage.processes;
  let pid: number | null = null;
  await simulator.faults({ ...faults, latency_ms: 5_000 });
  await until('a worker has the batch', async () => {
    pid = (await lookAt(stage, campaign)).senderPid;
    return pid !== null;
  });
  await simulator.faults({ ...faults, latency_ms: 500 });
  return pid ?? 0;
}
