/** (f) What endpoints that are dead or slow cost those that are well. */
import type { Child } from '../test/support/processes/child.ts';
import { until } from '../test/support/processes/child.ts';
import type { Kind } from './support/behaviours.ts';
import { meter, type Usage } from './support/cpu.ts';
import { machineNow } from './support/machine-clock.ts';
import { sentFact } from './support/people.ts';
import { type Ledger, type Receivers, startReceivers } from './support/receivers.ts';
import { type Figure, report } from './support/report.ts';
import { sample } from './support/sampler.ts';
import { type Sent, steadily, type Waits, waitsOf } from './support/steady.ts';
import { openWebhookStage, type Target, type WebhookStage } from './support/webhook-stage.ts';

export interface IsolationSizes {
  readonly runs: number;
  /** Events a second to the good endpoints together, and for how many seconds. */
  readonly pace: number;
  readonly seconds: number;
  /** Dead endpoints, and events a second to them together. */
  readonly dead: number;
  readonly deadPace: number;
  /** Events of the endpoint that answers after 9.9 s, at most 8 of them at a time. */
  readonly slowEvents: number;
}

interface Measured extends Waits {
  readonly usage: Usage;
}

interface Phase {
  readonly alone: Measured;
  readonly beside: Measured;
  /** Open workflows of retries: the most that one endpoint had at once. */
  readonly mostForOne: number;
  readonly workflows: number;
}

interface Scene {
  readonly stage: WebhookStage;
  readonly receivers: Receivers;
  readonly worker: Child;
  readonly good: readonly Target[];
  readonly bad: readonly Target[];
  readonly sizes: IsolationSizes;
}

const GOOD = 20;
const DEAD: readonly Kind[] = ['a dead port', 'never answers', 'answers 500'];
const SLOW: Kind = 'answers after 9.9 s';
const SETTLED = { timeoutMs: 60_000, everyMs: 200 };

function once(sent: ReadonlyMap<string, Sent>, ledger: Ledger): void {
  for (const id of sent.keys()) {
    const requests = ledger.get(id)?.requests ?? 0;
    if (requests !== 1) throw new Error(`event ${id} came ${requests} times`);
  }
}

/** The good endpoints at their pace, while `meanwhile` happens. */
async function measured(scene: Scene, meanwhile: () => Promise<unknown>): Promise<Measured> {
  const { stage, receivers, worker, good, sizes } = scene;
  const end = machineNow() + sizes.seconds * 1_000;
  const used = meter([{ name: 'worker', pid: worker.pid }, ...stage.watched]);
  const [sent] = await Promise.all([
    steadily(stage, good, sizes.pace, () => machineNow() < end),
    meanwhile(),
  ]);
  const usage = used();
  const arrived = async (): Promise<boolean> => {
    const ledger = await receivers.ledger();
    return [...sent.keys()].every((id) => ledger.has(id));
  };
  await until('every event of the good endpoints arrived', arrived, SETTLED);
  const ledger = await receivers.ledger();
  once(sent, ledger);
  return { ...waitsOf(sent, (id) => ledger.get(id)?.firstAt), usage };
}

async function phase(
  sizes: IsolationSizes,
  kinds: readonly Kind[],
  disturb: (scene: Scene) => {
    readonly meanwhile: () => Promise<void>;
    readonly after: () => Promise<void>;
  },
): Promise<Phase> {
  await using closing = new AsyncDisposableStack();
  const receivers = await startReceivers();
  closing.defer(() => receivers.kill());
  const opened = await receivers.open([
    ...Array.from({ length: GOOD }, () => 'good' as const),
    ...kinds,
  ]);
  const stage = await openWebhookStage({
    trustedOrigins: opened.filter(({ trusted }) => trusted).map(({ origin }) => origin),
    receiver: receivers,
  });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  for (const { origin } of opened) targets.push(await stage.aTarget(`${origin}/hooks`));
  const [good, bad] = [targets.slice(0, GOOD), targets.slice(GOOD)];
  const worker = await stage.processes.start('worker');
  const scene: Scene = { stage, receivers, worker, good, bad, sizes };
  // Connections, prepared statements and compiled code are there before anything is measured.
  await measured({ ...scene, sizes: { ...sizes, seconds: 5 } }, () => Promise.resolve());
  const alone = await measured(scene, () => Promise.resolve());
  const open = sample(1_000, () => openRetries(scene));
  const workflows = sample(5_000, () => scene.stage.openWorkflows());
  const { meanwhile, after } = disturb(scene);
  const beside = await measured(scene, meanwhile);
  await after();
  await Promise.all([open.stop(), workflows.stop()]);
  return {
    alone,
    beside,
    mostForOne: Math.max(...open.values),
    workflows: Math.max(...workflows.values),
  };
}

/** The most retries with a workflow that one endpoint has at the moment. */
async function openRetries({ stage }: Scene): Promise<number> {
  const [row] = await stage.rows<{ most: string | null }>(
    `select max(n) as most from (select count(*) as n from webhook_deliveries
       where owned_by_workflow and finished_at is null group by endpoint_id) each`,
  );
  return Number(row?.most ?? 0);
}

const besideTheDead = (sizes: IsolationSizes): Promise<Phase> =>
  phase(
    sizes,
    Array.from({ length: sizes.dead }, (_, n) => DEAD[n % DEAD.length] ?? 'answers 500'),
    ({ stage, bad }) => {
      let sent: ReadonlyMap<string, Sent> = new Map();
      return {
        meanwhile: async () => {
          const end = machineNow() + sizes.seconds * 1_000;
          sent = await steadily(stage, bad, sizes.deadPace, () => machineNow() < end);
        },
        after: async () => {
          const kept = async (): Promise<boolean> => {
            const [row] = await stage.rows<{ n: string }>(
              'select count(*) as n from webhook_deliveries where event_id = any($1)',
              [[...sent.keys()]],
            );
            return Number(row?.n) === sent.size;
          };
          await until('every event of the dead endpoints is kept', kept, SETTLED);
        },
      };
    },
  );

const besideTheSlow = (sizes: IsolationSizes): Promise<Phase> =>
  phase(sizes, [SLOW], ({ stage, receivers, bad: [slow] }) => {
    if (!slow) throw new TypeError('no slow endpoint');
    const facts = Array.from({ length: sizes.slowEvents }, (_, n) =>
      sentFact(slow.ctx.organizationId, n),
    );
    return {
      meanwhile: () => stage.commit(slow.ctx, facts),
      after: async () => {
        const ended = async (): Promise<boolean> => {
          const [row] = await stage.rows<{ n: string }>(
            `select count(*) as n from webhook_deliveries where endpoint_id = $1 and status = 'succeeded' and attempts = 1`,
            [slow.endpointId],
          );
          return Number(row?.n) === facts.length;
        };
        const timeoutMs = (facts.length / 8) * 10_000 * 2 + 60_000;
        await until('the slow endpoint has all, each at its first attempt', ended, {
          timeoutMs,
          everyMs: 1_000,
        });
        const ledger = await receivers.ledger();
        once(new Map(facts.map(({ id }) => [id, { at: 0, target: slow }])), ledger);
      },
    };
  });

/** A statement left running: vacuum cannot remove any row version that it might still see. */
const besideTheOpen = (sizes: IsolationSizes): Promise<Phase> =>
  phase(sizes, [], ({ stage }) => ({
    meanwhile: async () => {
      await stage.rows('select pg_sleep($1) from (select count(*) from facts) seen', [
        sizes.seconds,
      ]);
    },
    after: async () => {},
  }));

function figures(name: string, phases: readonly Phase[]): Figure[] {
  const cpu = (of: (phase: Phase) => Measured) =>
    phases.map(
      (one) => (of(one).usage.seconds['worker'] ?? 0) + (of(one).usage.seconds['postgres'] ?? 0),
    );
  return [
    { what: 'p50 alone, ms', digits: 1, values: phases.map(({ alone }) => alone.p50) },
    { what: `p50 beside ${name}, ms`, digits: 1, values: phases.map(({ beside }) => beside.p50) },
    { what: 'p99 alone, ms', digits: 1, values: phases.map(({ alone }) => alone.p99) },
    { what: `p99 beside ${name}, ms`, digits: 1, values: phases.map(({ beside }) => beside.p99) },
    {
      what: 'p99 beside them over p99 alone',
      digits: 2,
      values: phases.map(({ alone, beside }) => beside.p99 / alone.p99),
      atMost: 2,
    },
    { what: 'CPU s, worker and postgres, alone', digits: 1, values: cpu(({ alone }) => alone) },
    {
      what: `CPU s, worker and postgres, beside ${name}`,
      digits: 1,
      values: cpu(({ beside }) => beside),
    },
    {
      what: 'most open retries of one endpoint',
      values: phases.map(({ mostForOne }) => mostForOne),
      atMost: 200,
    },
    { what: 'most open workflows, all together', values: phases.map(({ workflows }) => workflows) },
  ];
}

async function measure(
  sizes: IsolationSizes,
  title: string,
  name: string,
  run: () => Promise<Phase>,
): Promise<boolean> {
  const phases: Phase[] = [];
  for (let n = 0; n < sizes.runs; n++) phases.push(await run());
  return report(
    `(f) ${GOOD} good endpoints, ${sizes.pace} events/s for ${sizes.seconds} s, alone and beside ${title}; ${sizes.runs} runs`,
    figures(name, phases),
    phases.flatMap(({ alone, beside }) => [alone.usage.elsewhere, beside.usage.elsewhere]),
  );
}

/** Throws when an event of a good or the slow endpoint is lost or doubled, or one of a dead endpoint is lost. */
export async function benchIsolation(sizes: IsolationSizes): Promise<boolean> {
  const { dead, deadPace, slowEvents } = sizes;
  const kinds = `${dead} dead ones (refusing, hanging, 500: a third each; ${deadPace} events/s)`;
  const slow = `one that answers after 9.9 s (${slowEvents} events)`;
  const first = await measure(sizes, kinds, 'the dead', () => besideTheDead(sizes));
  const second = await measure(sizes, slow, 'the slow one', () => besideTheSlow(sizes));
  const open = 'a transaction that stays open';
  const third = await measure(sizes, open, 'it', () => besideTheOpen(sizes));
  return first && second && third;
}
