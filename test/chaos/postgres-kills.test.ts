import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Service } from '../support/house/house.ts';
import { acceptedAtLeast, acceptedSettled, begin, unconfirmed } from './acts.ts';
import { onCluster } from './cluster.ts';
import { invariantsHold, quiet } from './invariants.ts';
import { onStage, type Stage } from './stage.ts';

const PEOPLE = 600;
/** 64 in flight and 32 claimed ahead. */
const RESERVED = 96;

interface Answer {
  readonly t: number;
  readonly status: number;
}

/** Reads and writes, 25 a second, whatever becomes of them. Answers how to end it. */
function load(stage: Stage, api: Service): () => Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const ask = async (n: number): Promise<Answer> => {
    const body = { name: 'Lia', phone: `+55119828${String(n).padStart(5, '0')}` };
    const reply = await (n % 2 === 0
      ? stage.call(api, 'GET', '/contacts?limit=1')
      : stage.call(api, 'POST', '/contacts', { body }));
    return { t: Date.now(), status: reply.status };
  };
  const timer = setInterval(() => answers.push(ask(answers.length)), 40);
  return () => {
    clearInterval(timer);
    return Promise.all(answers);
  };
}

describe('PostgreSQL that restarts without warning, under load', () => {
  it(
    'costs callers at most a 503, and a campaign nobody and nothing',
    () =>
      onCluster((cluster) =>
        onStage({ database: cluster }, async (stage) => {
          const { start, simulator } = stage.house;
          await simulator.faults({ latency_ms: 300 });
          const [api] = await Promise.all([start('api'), start('worker')]);
          const campaign = await stage.aCampaign(PEOPLE);
          const endLoad = load(stage, api);
          await begin(stage, api, campaign);
          await acceptedAtLeast(stage, 100);

          await cluster.restart();
          const backAt = Date.now();
          await sleep(4_000);
          const answers = await endLoad();
          await quiet(stage);
          await acceptedSettled(stage);
          await quiet(stage);

          const statuses = new Set(answers.map(({ status }) => status));
          expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
          const served = answers.find(({ t, status }) => t > backAt && status < 300);
          expect((served?.t ?? Number.POSITIVE_INFINITY) - backAt).toBeLessThanOrEqual(3_000);
          const { missing } = await unconfirmed(stage);
          expect(missing).toBeLessThanOrEqual(RESERVED);
          expect(await simulator.accepted()).toHaveLength(PEOPLE - missing);
          expect(await blamed(stage)).toEqual([]);
          await invariantsHold(stage, api, { campaigns: [campaign], spare: PEOPLE });
        }),
      ),
    120_000,
  );
});

/** Attempts that hold our own outage against the customer. */
const blamed = (stage: Stage): Promise<unknown[]> =>
  stage.rows(`select * from webhook_attempts where code is null or error = 'internal'`);
