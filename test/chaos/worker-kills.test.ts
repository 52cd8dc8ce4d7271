import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import {
  acceptedAtLeast,
  acceptedSettled,
  begin,
  death,
  dies,
  gapAfter,
  statusOf,
  unconfirmed,
  unrecorded,
} from './support/acts.ts';
import { invariantsHold, nobodyTwice, quiet } from './support/invariants.ts';
import { lookAt } from './support/operator.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

/** 64 in flight and 32 claimed ahead: whom a worker may have reserved and not sent to when it dies. */
const RESERVED = 96;
const LIMIT_MS = 300_000;

/** A worker that dies at the point, in a campaign; another one is started, and everything comes to rest. */
async function dieInCampaign(stage: ChaosStage, point: string) {
  const { processes } = stage;
  const [api, worker] = await Promise.all([
    processes.start('api'),
    processes.start('worker', dies(point, 17)),
  ]);
  const campaign = await stage.aCampaign(200);
  await begin(stage, api, campaign);
  await death(worker);
  const { length: spare } = await unrecorded(stage);
  await processes.start('worker');
  await quiet(stage);
  return { api, campaign, spare };
}

// Each waits for leases most of the time, so they wait together.
describe('in a campaign', () => {
  it.concurrent(
    'a worker killed before a call: who was reserved is unconfirmed and never sent to, everybody else gets it once',
    () =>
      onChaosStage({}, async (stage) => {
        const { api, campaign, spare } = await dieInCampaign(stage, 'after-reserve');

        await acceptedSettled(stage);
        await quiet(stage);
        const { missing } = await unconfirmed(stage);
        expect(missing).toBeGreaterThanOrEqual(1);
        expect(missing).toBeLessThanOrEqual(RESERVED);
        const [detail] = await invariantsHold(stage, api, { campaigns: [campaign], spare });
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: missing } });
        expect(await stage.processes.simulator.accepted()).toHaveLength(200 - missing);
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'a worker killed after WhatsApp accepted: unconfirmed, never sent again, and settled by the status webhook',
    () =>
      onChaosStage({}, async (stage) => {
        await stage.processes.simulator.faults({ status_webhooks: false });
        const { api, campaign, spare } = await dieInCampaign(stage, 'after-gateway-accept');

        const before = await unconfirmed(stage);
        expect(before.accepted).toBeGreaterThanOrEqual(1);
        expect(before.missing).toBeLessThanOrEqual(RESERVED);
        await nobodyTwice(stage);
        expect(await statusOf(stage, campaign)).toBe('done');

        await stage.processes.simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        expect((await unconfirmed(stage)).missing).toBe(before.missing);
        await invariantsHold(stage, api, { campaigns: [campaign], spare });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'a worker killed at any moment of 2,000: nobody twice, each missing one unconfirmed, and it goes on',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ latency_ms: 150, status_webhooks: false });
        const [api, worker] = await Promise.all([start('api'), start('worker')]);
        const campaign = await stage.aCampaign(2_000);
        await begin(stage, api, campaign);

        await acceptedAtLeast(stage, 200 + Math.floor(Math.random() * 800));
        const killedAt = Date.now();
        await worker.kill('SIGKILL');
        const { length: spare } = await unrecorded(stage);
        await start('worker');
        await quiet(stage);

        expect(await gapAfter(stage, killedAt)).toBeLessThanOrEqual(60_000);
        const lost = await unconfirmed(stage);
        expect(lost.missing).toBeLessThanOrEqual(RESERVED);
        expect(await simulator.accepted()).toHaveLength(2_000 - lost.missing);
        await nobodyTwice(stage);

        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        await invariantsHold(stage, api, { campaigns: [campaign], spare });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'a worker killed beside another: its campaign goes on there because its presence ended, not because a heartbeat is missed',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ latency_ms: 1_000 });
        const [api, ...workers] = await Promise.all([
          start('api'),
          start('worker'),
          start('worker'),
        ]);
        const campaign = await stage.aCampaign(900);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 20);
        // Between two batches nobody has one.
        let run = await lookAt(stage, campaign);
        await until('somebody sends', async () => {
          run = await lookAt(stage, campaign);
          return run.senderPid !== null;
        });
        const { senderPid } = run;

        const [sender, other] = workers.toSorted((a) => (a.pid === senderPid ? -1 : 1));
        await sender?.kill('SIGKILL');
        const { length: spare } = await unrecorded(stage);

        await until(
          'the other one sends',
          async () => {
            run = await lookAt(stage, campaign);
            return run.senderPid === other?.pid;
          },
          { everyMs: 20 },
        );
        expect(run).toMatchObject({ failedAs: 'ProcessEnded' });
        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        expect((await unconfirmed(stage)).missing).toBeLessThanOrEqual(RESERVED);
        await invariantsHold(stage, api, { campaigns: [campaign], spare });
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'a send that WhatsApp accepts and never answers frees its place after ten seconds, is unconfirmed, and is settled by the status webhook',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
        await simulator.faults({ hang_after_accept: true, status_webhooks: false });
        const [api] = await Promise.all([start('api'), start('worker')]);
        const campaign = await stage.aCampaign(1);
        await begin(stage, api, campaign);
        await quiet(stage);

        const [row] = await stage.rows<{ status: string; seconds: number }>(
          `select status, extract(epoch from settled_at - claimed_at)::float8 as seconds from campaign_recipients`,
        );
        expect(row?.status).toBe('unconfirmed');
        expect(row?.seconds).toBeGreaterThan(9.8);
        expect(row?.seconds).toBeLessThan(60);
        expect(await simulator.accepted()).toHaveLength(1);

        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);
        await invariantsHold(stage, api, { campaigns: [campaign] });
      }),
    LIMIT_MS,
  );
});
