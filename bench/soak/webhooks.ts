/** (h) Twenty endpoints that misbehave, each in its own way, among twenty that are well. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../test/support/processes/processes.ts';
import { type Kind, MISBEHAVING } from '../support/behaviours.ts';
import { machineNow } from '../support/machine-clock.ts';
import { type Ledger, type Receivers, startReceivers } from '../support/receivers.ts';
import { printTitle } from '../support/report.ts';
import { residentMb, sample } from '../support/sampler.ts';
import { type Sent, steadily, waitsOf } from '../support/steady.ts';
import { openWebhookStage, type Target, type WebhookStage } from '../support/webhook-stage.ts';
import { judge, rowOf, type SoakRow, tableOf, whatBecameOf } from './table.ts';

export interface SoakSizes {
  readonly minutes: number;
  /** Events a second to the good endpoints, and to the others, each all together. */
  readonly pace: number;
  readonly badPace: number;
  /** Waits between attempts are so much shorter than in production. */
  readonly backoffScale: number;
  /** How often the worker is killed (SIGKILL) and another one started, at times drawn anew. */
  readonly kills: number;
}

interface Scene {
  readonly stage: WebhookStage;
  /** Good and bad are processes of their own: what a flood costs its server is not the service's doing. */
  readonly receivers: readonly Receivers[];
  readonly kinds: readonly Kind[];
  readonly targets: readonly Target[];
  readonly sizes: SoakSizes;
}

const GOOD = 20;
/** After the last event: what can still end, ends. */
const SETTLE_MS = 60_000;

/** The one worker process, whichever it is at the moment. */
class Workers {
  readonly #stage: WebhookStage;
  now: Service;

  private constructor(stage: WebhookStage, first: Service) {
    this.#stage = stage;
    this.now = first;
  }

  static async start(stage: WebhookStage): Promise<Workers> {
    return new Workers(stage, await stage.processes.start('worker'));
  }

  async killAndReplace(): Promise<void> {
    await this.now.kill('SIGKILL');
    this.now = await this.#stage.processes.start('worker');
  }
}

async function killAtTimes(workers: Workers, times: readonly number[]): Promise<void> {
  const startedAt = machineNow();
  for (const at of times) {
    await sleep(Math.max(0, startedAt + at - machineNow()));
    await workers.killAndReplace();
  }
}

/** Events for all, at a steady pace, and the kills. */
async function play(scene: Scene, workers: Workers): Promise<Map<string, Sent>> {
  const { stage, targets, sizes } = scene;
  const lastsMs = sizes.minutes * 60_000;
  const end = machineNow() + lastsMs;
  const times = Array.from({ length: sizes.kills }, () => Math.random() * lastsMs);
  const mayGoOn = (): boolean => machineNow() < end;
  const [good, bad] = await Promise.all([
    steadily(stage, targets.slice(0, GOOD), sizes.pace, mayGoOn),
    steadily(stage, targets.slice(GOOD), sizes.badPace, mayGoOn),
    killAtTimes(
      workers,
      times.toSorted((a, b) => a - b),
    ),
  ]);
  return new Map([...good, ...bad]);
}

/** Until nothing is left to be done, or the time for it is over: those that never answer need longer. */
async function settle({ stage }: Scene): Promise<void> {
  const end = machineNow() + SETTLE_MS;
  const open = async (): Promise<boolean> => {
    const [row] = await stage.rows<{ open: boolean }>(
      'select exists (select from facts) or exists (select from webhook_deliveries where finished_at is null) as open',
    );
    return row?.open === true;
  };
  while (machineNow() < end && (await open())) await sleep(1_000);
}

async function run(scene: Scene): Promise<boolean> {
  const { stage, receivers, kinds, targets, sizes } = scene;
  const workers = await Workers.start(stage);
  const firstPid = workers.now.pid;
  await sleep(5_000);
  const memoryAtStart = residentMb(firstPid);
  // While a worker is being replaced there is none to look at.
  const memory = sample(1_000, () => {
    try {
      return residentMb(workers.now.pid);
    } catch {
      return 0;
    }
  });
  const sent = await play(scene, workers);
  await settle(scene);
  await memory.stop();
  const memoryAtEnd = residentMb(workers.now.pid);
  const samePid = workers.now.pid === firstPid;
  // Attempts in flight end and are written down.
  await workers.now.kill('SIGTERM');
  const ledgers = await Promise.all(receivers.map((one) => one.ledger()));
  const ledger: Ledger = new Map(ledgers.flatMap((one) => [...one]));
  const records = await whatBecameOf(stage);
  const rows: SoakRow[] = kinds.map((kind, n) => {
    const { endpointId = '' } = targets[n] ?? {};
    const own = [...sent].filter(([, { target }]) => target.endpointId === endpointId);
    return rowOf(kind, new Map(own), ledger, records);
  });
  printTitle(
    `(h) ${kinds.length} endpoints: ${GOOD} good ones at ${sizes.pace} events/s, ${kinds.length - GOOD} others at ` +
      `${sizes.badPace} events/s, for ${sizes.minutes} minutes; waits between attempts ${sizes.backoffScale} of ` +
      `production's; ${sizes.kills} kills of the worker`,
    [],
  );
  for (const line of tableOf(rows)) console.log(line);
  const toGood = new Map([...sent].filter(([, { target }]) => targets.indexOf(target) < GOOD));
  const { p50, p99 } = waitsOf(toGood, (id) => ledger.get(id)?.firstAt);
  console.log(`\nThe good ones together: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms.`);
  console.log(
    `Memory of the worker: ${memoryAtStart.toFixed(0)} MB at the start, ${Math.max(...memory.values).toFixed(0)} MB ` +
      `at most, ${memoryAtEnd.toFixed(0)} MB at the end${samePid ? ', one process all the time' : ''}; each minute ${memory.values
        .filter((_, second) => second % 60 === 0)
        .map((mb) => mb.toFixed(0))
        .join(', ')}.`,
  );
  const problems = judge(rows, sizes.kills);
  for (const problem of problems) console.log(problem);
  if (problems.length === 0)
    console.log(
      'No event was lost. Requests beyond the attempts that are written down: ' +
        `at most ${Math.max(...rows.map(({ mostExtra }) => mostExtra))} for an event, with ${sizes.kills} kills.`,
    );
  return problems.length === 0;
}

/** Its table says what each endpoint got. Answers false when an event was lost or doubled. */
export async function soak(sizes: SoakSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const [well, unwell] = await Promise.all([startReceivers(), startReceivers()]);
  closing.defer(() => well.kill());
  closing.defer(() => unwell.kill());
  const good: Kind[] = Array.from({ length: GOOD }, () => 'good');
  const kinds = [...good, ...MISBEHAVING];
  const opened = [...(await well.open(good)), ...(await unwell.open(MISBEHAVING))];
  const stage = await openWebhookStage({
    trustedOrigins: opened.filter(({ trusted }) => trusted).map(({ origin }) => origin),
    receiver: well,
    environment: {
      BACKOFF_SCALE: String(sizes.backoffScale),
      NODE_OPTIONS: `--import ${new URL('../children/own-name-server.ts', import.meta.url).href}`,
      BENCH_NAME_SERVER: unwell.nameServer,
    },
  });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  for (const { origin } of opened) targets.push(await stage.aTarget(`${origin}/hooks`));
  return await run({ stage, receivers: [well, unwell], kinds, targets, sizes });
}
