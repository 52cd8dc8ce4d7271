import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import type { Service } from '../support/processes/processes.ts';
import { acceptedAtLeast, acceptedSettled, begin, unconfirmed } from './support/acts.ts';
import { onCluster } from './support/cluster.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const PEOPLE = 600;
/** 64 in flight and 32 claimed ahead. */
const RESERVED = 96;

interface Answer {
  readonly t: number;
  readonly status: number;
}

/** Reads and writes, 25 a second, whatever becomes of them: the answers so far, and how to end it. */
function load(stage: ChaosStage, api: Service) {
  const asked: Promise<void>[] = [];
  const answers: Answer[] = [];
  const ask = async (n: number): Promise<void> => {
    const body = { name: 'Lia', phone: `+55119828${String(n).padStart(5, '0')}` };
    const reply = await (n % 2 === 0
      ? stage.call(api, 'GET', '/contacts?limit=1')
      : stage.call(api, 'POST', '/contacts', { body }));
    answers.push({ t: Date.now(), status: reply.status });
  };
  const timer = setInterval(() => asked.push(ask(asked.length)), 40);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all(asked);
  };
  return { answers, end };
}

describe('PostgreSQL that restarts without warning, under load', () => {
  it(
    'costs callers at most a 503, and a campaign nobody and nothing',
    () =>
      onCluster((cluster) =>
        onChaosStage({ database: cluster }, async (stage) => {
          const { start, simulator } = stage.processes;
          await simulator.faults({ latency_ms: 300 });
          const [api] = await Promise.all([start('api'), start('worker')]);
          const campaign = await stage.aCampaign(PEOPLE);
          const { answers, end } = load(stage, api);
          await begin(stage, api, campaign);
          await acceptedAtLeast(stage, 100);

          await cluster.restart();
          const backAt = Date.now();
          const served = async () => answers.some(({ t, status }) => t > backAt && status < 300);
          await until('the API serves again', served);
          await sleep(4_000);
          await end();
          await quiet(stage);
          await acceptedSettled(stage);
          await quiet(stage);

          const statuses = new Set(answers.map(({ status }) => status));
          expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
          const { missing } = await unconfirmed(stage);
          expect(missing).toBeLessThanOrEqual(RESERVED);
          expect(await simulator.accepted()).toHaveLength(PEOPLE - missing);
          expect(await blamed(stage)).toEqual([]);
          await invariantsHold(stage, api, { campaigns: [campaign], spare: PEOPLE });
        }),
      ),
    300_000,
  );
});

/** Attempts that hold our own outage against the customer. */
const blamed = (stage: ChaosStage): Promise<unknown[]> =>
  stage.rows(`select * from webhook_attempts where code is null or error = 'internal'`);
