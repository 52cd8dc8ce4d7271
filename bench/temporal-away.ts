/** (s) Temporal is gone for minutes: what callers notice, and how fast what they asked for is made up for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../src/durations.ts';
import { type Ground, onGround } from '../test/chaos/random/ground.ts';
import { type ChaosStage, onChaosStage } from '../test/chaos/support/stage.ts';
import { anApiKey } from '../test/support/factories/api-keys.ts';
import { until } from '../test/support/processes/child.ts';
import type { Service } from '../test/support/processes/processes.ts';
import { endRun, openRunFolder } from '../test/support/run-folder.ts';
import { machineNow } from './support/machine-clock.ts';
import { type Figure, percentile, report } from './support/report.ts';

export interface AwaySizes {
  readonly seconds: number;
  /** Reminders a second, each of which is a workflow to be started. */
  readonly pace: number;
}

interface Scene {
  readonly stage: ChaosStage;
  readonly ground: Ground;
  readonly api: Service;
  /** The rate limit is a key's: they take turns. */
  readonly keys: readonly string[];
  readonly numberId: string;
  readonly contactId: string;
}

interface Answer {
  readonly status: number;
  readonly ms: number;
}

const KEYS = 4;
const BEFORE_SECONDS = 30;

/** At the pace, whatever the answers. */
async function makeReminders(scene: Scene, pace: number, seconds: number): Promise<Answer[]> {
  const { stage, api, keys, numberId, contactId } = scene;
  const date = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const when = { repeat: 'once', date, time: '12:00', time_zone: 'UTC' };
  const whom = { target: 'contact', contact_id: contactId, number_id: numberId };
  const startedAt = machineNow();
  const asking: Promise<Answer>[] = [];
  for (let n = 0; n < pace * seconds; n++) {
    const at = startedAt + (n * 1_000) / pace;
    await sleep(Math.max(0, at - machineNow()));
    const body = { title: `Lembrete ${n}`, text: 'É hoje.', ...when, ...whom };
    const call = stage.call(api, 'POST', '/reminders', { body, key: keys[n % keys.length] ?? '' });
    asking.push(
      call.then(
        ({ status }) => ({ status, ms: machineNow() - at }),
        () => ({ status: 0, ms: machineNow() - at }),
      ),
    );
  }
  return await Promise.all(asking);
}

async function backlog({ stage }: Scene): Promise<number> {
  const [row] = await stage.rows<{ n: number }>('select count(*)::int as n from facts');
  return row?.n ?? 0;
}

const p99 = (answers: readonly Answer[]): number =>
  percentile(
    answers.map(({ ms }) => ms),
    0.99,
  );

async function play(scene: Scene, { pace, seconds }: AwaySizes): Promise<Figure[]> {
  const { temporal } = scene.ground;
  await makeReminders(scene, pace, 5);
  const before = await makeReminders(scene, pace, BEFORE_SECONDS);
  await temporal.kill();
  const during = await makeReminders(scene, pace, seconds);
  const waiting = await backlog(scene);
  await temporal.start();
  const backAt = machineNow();
  await until('everything is made up for', async () => (await backlog(scene)) === 0, {
    timeoutMs: 300_000,
  });
  const drained = waiting / ((machineNow() - backAt) / 1_000);
  const served = during.filter(({ status }) => status === 201);
  return [
    {
      what: 'answered 201, %',
      values: [(served.length / during.length) * 100],
      digits: 2,
      atLeast: 99.9,
    },
    { what: 'p99 before, ms', values: [p99(before)], digits: 1 },
    {
      what: 'p99 while it is away, times that',
      values: [p99(during) / p99(before)],
      digits: 2,
      atMost: 2,
    },
    { what: 'waiting when it is back', values: [waiting] },
    {
      what: 'made up for a second, times the pace',
      values: [drained / pace],
      digits: 1,
      atLeast: 5,
    },
  ];
}

export async function benchTemporalAway(sizes: AwaySizes): Promise<boolean> {
  const { path } = openRunFolder('/tmp');
  process.env['TEST_RUN_FOLDER'] = path;
  let figures: Figure[] = [];
  try {
    await onGround((ground) =>
      onChaosStage(
        { database: ground.cluster, temporalAddress: ground.temporal.address },
        async (stage) => {
          const { processes, ctx } = stage;
          const [api] = await Promise.all([processes.start('api'), processes.start('worker')]);
          const [contactId = ''] = await stage.people(1);
          const [number] = await stage.rows<{ id: string }>('select id from numbers');
          const keys: string[] = [];
          while (keys.length < KEYS) keys.push((await anApiKey(ctx)).key);
          const scene = { stage, ground, api, keys, numberId: number?.id ?? '', contactId };
          figures = await play(scene, sizes);
        },
      ),
    );
  } finally {
    await endRun(path);
  }
  return report(
    `(s) Temporal away for ${sizes.seconds} s, ${sizes.pace} reminders a second`,
    figures,
    [],
  );
}
