/** (r) How long work is interrupted when a part is killed and restarted at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ground, onGround } from '../test/chaos/random/ground.ts';
import { type ChaosStage, onChaosStage } from '../test/chaos/support/stage.ts';
import { until } from '../test/support/processes/child.ts';
import type { Service } from '../test/support/processes/processes.ts';
import { endRun, openRunFolder } from '../test/support/run-folder.ts';
import { machineNow } from './support/machine-clock.ts';
import { type Figure, report } from './support/report.ts';

export interface RecoverySizes {
  readonly runs: number;
}

const EVERY_MS = 10;
/** What was on its way when a process died is no sign of life. */
const IN_FLIGHT_MS = 100;
const CONTACTS_A_SECOND = 10;

interface Theatre {
  readonly stage: ChaosStage;
  readonly ground: Ground;
  api: Service;
  worker: Service;
}

/** Milliseconds from now until it is true for the first time. */
async function msUntil(what: string, check: () => Promise<boolean> | boolean): Promise<number> {
  const from = machineNow();
  await until(what, async () => await check(), { everyMs: EVERY_MS });
  return machineNow() - from;
}

/** Contacts are made all the time, each of which is a webhook. */
function keepBusy(theatre: Theatre): () => Promise<void> {
  let stopped = false;
  const busy = (async () => {
    for (let n = 0; !stopped; n++) {
      const body = { name: `Pessoa ${n}`, phone: `+5511984${String(n).padStart(6, '0')}` };
      await theatre.stage.call(theatre.api, 'POST', '/contacts', { body }).catch(() => null);
      await sleep(1_000 / CONTACTS_A_SECOND);
    }
  })();
  return () => {
    stopped = true;
    return busy;
  };
}

/** @param moment by the wall clock, as the receipts are */
async function webhookAfter({ stage }: Theatre, moment: number): Promise<boolean> {
  return (stage.receiver.receipts.at(-1)?.t ?? 0) > moment + IN_FLIGHT_MS;
}

const changes = async ({ stage, api }: Theatre, n: number): Promise<boolean> => {
  const body = { name: 'Ana', phone: `+5511983${String(n).padStart(6, '0')}` };
  return (await stage.call(api, 'POST', '/contacts', { body })).status === 201;
};

let people = 0;
const nextPerson = (): number => people++;

/** Each answers the milliseconds. */
const acts = {
  'worker alone, SIGKILL and started again': async (theatre: Theatre) => {
    const moment = Date.now();
    await theatre.worker.kill('SIGKILL');
    const started = theatre.stage.processes.start('worker');
    const ms = await msUntil('a webhook arrives', () => webhookAfter(theatre, moment));
    theatre.worker = await started;
    return ms;
  },
  'worker alone, SIGTERM and started beside': async (theatre: Theatre) => {
    const moment = Date.now();
    const ended = theatre.worker.kill('SIGTERM');
    const started = theatre.stage.processes.start('worker');
    const ms = await msUntil('a webhook arrives', () => webhookAfter(theatre, moment));
    [theatre.worker] = await Promise.all([started, ended]);
    return ms;
  },
  'API, SIGKILL and started again': async (theatre: Theatre) => {
    await theatre.api.kill('SIGKILL');
    const from = machineNow();
    theatre.api = await theatre.stage.processes.start('api');
    await msUntil('a change is answered', () => changes(theatre, nextPerson()));
    return machineNow() - from;
  },
  'PostgreSQL, killed: after it is ready': async (theatre: Theatre) => {
    await theatre.ground.cluster.restart();
    return msUntil('a change is answered', () => changes(theatre, nextPerson()));
  },
  'Temporal, SIGKILL: after it is there': async (theatre: Theatre) => {
    const { stage, ground, api } = theatre;
    const campaign = await stage.aCampaign(1);
    await ground.temporal.kill();
    const reply = await stage.call(api, 'POST', `/campaigns/${campaign}/send`);
    if (reply.status !== 200) throw new Error(reply.text);
    const before = (await stage.processes.simulator.accepted()).length;
    await ground.temporal.start();
    return msUntil(
      'the campaign goes out',
      async () => (await stage.processes.simulator.accepted()).length > before,
    );
  },
} satisfies Record<string, (theatre: Theatre) => Promise<number>>;

const LIMITS: Record<keyof typeof acts, number> = {
  'worker alone, SIGKILL and started again': 4_000,
  'worker alone, SIGTERM and started beside': 5_000,
  'API, SIGKILL and started again': 2_000,
  'PostgreSQL, killed: after it is ready': 3_000,
  'Temporal, SIGKILL: after it is there': 10_000,
};

async function play(theatre: Theatre, runs: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, act] of Object.entries(acts) as [
    keyof typeof acts,
    (typeof acts)[keyof typeof acts],
  ][]) {
    const values: number[] = [];
    for (let run = 0; run < runs; run++) {
      values.push(await act(theatre));
      await sleep(2_000);
    }
    figures.push({ what: `${what}, ms`, values, atMost: LIMITS[what] });
  }
  return figures;
}

export async function benchRecovery({ runs }: RecoverySizes): Promise<boolean> {
  const { path } = openRunFolder('/tmp');
  process.env['TEST_RUN_FOLDER'] = path;
  let figures: Figure[] = [];
  try {
    await onGround((ground) =>
      onChaosStage(
        {
          database: ground.cluster,
          temporalAddress: ground.temporal.address,
          events: ['contact.created'],
        },
        async (stage) => {
          const { processes } = stage;
          const theatre = {
            stage,
            ground,
            api: await processes.start('api'),
            worker: await processes.start('worker'),
          };
          const stop = keepBusy(theatre);
          await until('webhooks arrive', async () => stage.receiver.receipts.length > 20);
          figures = await play(theatre, runs);
          await stop();
        },
      ),
    );
  } finally {
    await endRun(path);
  }
  return report(
    `(r) From the kill of a part until work goes on; ${CONTACTS_A_SECOND} contacts a second are made`,
    figures,
    [],
  );
}
