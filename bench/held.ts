/** (g) An endpoint that is paused while 100,000 events happen, and what its resuming costs everybody. */
import { createApiKey } from '../src/api-keys/service.ts';
import { type Child, until } from '../test/support/processes/child.ts';
import type { Service } from '../test/support/processes/processes.ts';
import { meter, type Usage } from './support/cpu.ts';
import { machineNow } from './support/machine-clock.ts';
import { sentFact } from './support/people.ts';
import { type Receivers, startReceivers } from './support/receivers.ts';
import { type Figure, report } from './support/report.ts';
import { residentMb, sample } from './support/sampler.ts';
import { type Sent, steadily, type Waits, waitsOf } from './support/steady.ts';
import { type LongTransaction, longestTransaction } from './support/transactions.ts';
import { openWebhookStage, type Target, type WebhookStage } from './support/webhook-stage.ts';

export interface HeldSizes {
  readonly events: number;
  /** Events a second to five endpoints of other workspaces, all the time. */
  readonly pace: number;
  /** How long those are watched alone. */
  readonly seconds: number;
  /** New events a second to the endpoint itself while its backlog drains. */
  readonly newPace: number;
}

interface Scene {
  readonly stage: WebhookStage;
  readonly receivers: Receivers;
  readonly api: Service;
  readonly worker: Child;
  readonly key: string;
  readonly held: Target;
  readonly others: readonly Target[];
  readonly sizes: HeldSizes;
}

interface Drained {
  readonly seconds: number;
  readonly others: Waits;
  readonly own: Waits;
  readonly usage: Usage;
  readonly longest: LongTransaction;
}

const OTHERS = 5;
/** Facts of one transaction. */
const BATCH = 100;
/** Events just before the pause: some are in flight, some wait, when it comes. */
const PENDING = 2_000;
const PATIENT = { timeoutMs: 900_000, everyMs: 200 };

/** Milliseconds until the API answered. */
async function ask({ api, key, held }: Scene, verb: 'pause' | 'resume'): Promise<number> {
  const startedAt = performance.now();
  const url = `${api.baseUrl}/api/v1/webhooks/${held.endpointId}/${verb}`;
  const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${verb}: ${answer.status} ${text}`);
  return performance.now() - startedAt;
}

async function store({ stage, held }: Scene, count: number): Promise<string[]> {
  const { ctx } = held;
  const facts = Array.from({ length: count }, (_, n) => sentFact(ctx.organizationId, n));
  for (let at = 0; at < count; at += BATCH) await stage.commit(ctx, facts.slice(at, at + BATCH));
  return facts.map(({ id }) => id);
}

/** Rows of the endpoint that are neither held nor finished, and facts that are no deliveries yet. */
async function unsettled({ stage, held }: Scene): Promise<number> {
  const [row] = await stage.rows<{ n: string }>(
    `select (select count(*) from facts) + (select count(*) from webhook_deliveries
       where endpoint_id = $1 and finished_at is null and status <> 'held') as n`,
    [held.endpointId],
  );
  return Number(row?.n);
}

/** The others at their pace while `meanwhile` runs. */
async function beside<T>(
  { stage, others, sizes }: Scene,
  meanwhile: () => Promise<T>,
): Promise<{ readonly sent: Map<string, Sent>; readonly result: T }> {
  let running = true;
  const load = steadily(stage, others, sizes.pace, () => running);
  const result = await meanwhile().finally(() => {
    running = false;
  });
  return { sent: await load, result };
}

async function waits({ receivers }: Scene, sent: ReadonlyMap<string, Sent>): Promise<Waits> {
  const arrived = async (): Promise<boolean> => {
    const ledger = await receivers.ledger();
    return [...sent.keys()].every((id) => ledger.has(id));
  };
  await until('every event of the others arrived', arrived, { timeoutMs: 60_000, everyMs: 500 });
  const ledger = await receivers.ledger();
  return waitsOf(sent, (id) => ledger.get(id)?.firstAt);
}

/** From the answer to the resuming until everything that was held has arrived. */
async function drain(scene: Scene, ids: readonly string[]): Promise<Drained> {
  const { stage, receivers, worker, held, sizes } = scene;
  const used = meter([{ name: 'worker', pid: worker.pid }, ...stage.watched]);
  const transactions = longestTransaction(stage);
  const startedAt = machineNow();
  let draining = true;
  const own = steadily(stage, [held], sizes.newPace, () => draining);
  const arrived = async (count: number): Promise<boolean> =>
    ((await receivers.counts())[0] ?? 0) >= count;
  const { sent } = await beside(scene, () =>
    until('so many arrived', () => arrived(ids.length), PATIENT),
  );
  draining = false;
  const mine = await own;
  await until('all of it arrived', () => arrived(ids.length + mine.size), PATIENT);
  const usage = used();
  const longest = await transactions.stop();
  const ledger = await receivers.ledger();
  const endedAt = ids.reduce((last, id) => Math.max(last, ledger.get(id)?.firstAt ?? 0), 0);
  return {
    seconds: (endedAt - startedAt) / 1_000,
    others: await waits(scene, sent),
    own: await waits(scene, mine),
    usage,
    longest,
  };
}

async function measure(scene: Scene): Promise<boolean> {
  const { stage, receivers, worker, held, sizes } = scene;
  const pause = (seconds: number) => () => new Promise((done) => setTimeout(done, seconds * 1_000));
  await beside(scene, pause(5));
  const alone = await waits(scene, (await beside(scene, pause(sizes.seconds))).sent);
  const memory = sample(1_000, () => residentMb(worker.pid));
  const ofEndpoint = `WorkflowId starts_with 'delivery:${held.endpointId}' or WorkflowId = 'endpoint:${held.endpointId}'`;
  const workflows = sample(2_000, () => stage.openWorkflows(`(${ofEndpoint})`));

  const ids = await store(scene, PENDING);
  const pausedMs = await ask(scene, 'pause');
  const storing = longestTransaction(stage);
  const stored = await beside(scene, async () => {
    ids.push(...(await store(scene, sizes.events - PENDING)));
    await until('everything is held', async () => (await unsettled(scene)) === 0, PATIENT);
  });
  const whileStoring = await waits(scene, stored.sent);
  const longestStoring = await storing.stop();
  const before = (await receivers.counts())[0] ?? 0;
  const memoryBefore = residentMb(worker.pid);

  const resumedMs = await ask(scene, 'resume');
  const drained = await drain(scene, ids);
  await Promise.all([memory.stop(), workflows.stop()]);
  await refuseLossAndDoubles(scene);
  const cpu = (drained.usage.seconds['worker'] ?? 0) + (drained.usage.seconds['postgres'] ?? 0);
  const kept = sizes.events - before;
  const figures: Figure[] = [
    { what: 'the pause is answered after, ms', values: [pausedMs], atMost: 1_000 },
    { what: 'the resuming is answered after, ms', values: [resumedMs], atMost: 1_000 },
    { what: 'delivered before the pause took hold', values: [before] },
    {
      what: 'most open workflows of the endpoint',
      values: [Math.max(...workflows.values)],
      atMost: 1,
    },
    { what: 'events/s while draining', values: [kept / drained.seconds], atLeast: 200 },
    {
      what: 'CPU s per 1,000, worker and postgres, draining',
      digits: 2,
      values: [(cpu / kept) * 1_000],
    },
    { what: 'longest transaction while storing, ms', values: [longestStoring.ms] },
    { what: 'longest transaction while draining, ms', values: [drained.longest.ms], atMost: 100 },
    { what: 'p99 of the others alone, ms', digits: 1, values: [alone.p99] },
    { what: 'p99 of the others while it is stored, ms', digits: 1, values: [whileStoring.p99] },
    { what: 'p99 of the others while it drains, ms', digits: 1, values: [drained.others.p99] },
    { what: 'that over p99 alone', digits: 2, values: [drained.others.p99 / alone.p99], atMost: 2 },
    { what: 'p50 of new events of the endpoint itself, ms', digits: 1, values: [drained.own.p50] },
    { what: 'p99 of new events of the endpoint itself, ms', digits: 1, values: [drained.own.p99] },
    { what: 'memory of the worker before resuming, MB', values: [memoryBefore] },
    { what: 'memory of the worker at most, MB', values: [Math.max(...memory.values)] },
    { what: 'memory of the worker afterwards, MB', values: [residentMb(worker.pid)] },
  ];
  const met = report(
    `(g) ${sizes.events} events of one endpoint, ${PENDING} just before it is paused, then resumed; ` +
      `${OTHERS} endpoints of other workspaces at ${sizes.pace} events/s; new events of its own at ${sizes.newPace}/s`,
    figures,
    [drained.usage.elsewhere],
  );
  console.log(
    `\nThe longest transactions, of looks every 20 ms: ${longestStoring.says}; ${drained.longest.says}`,
  );
  return met;
}

/** Everything that was committed came exactly once and is written down as succeeded. */
async function refuseLossAndDoubles({ stage, receivers }: Scene): Promise<void> {
  const open = async (): Promise<boolean> => {
    const [row] = await stage.rows<{ n: string }>(
      `select (select count(*) from facts) + (select count(*) from webhook_deliveries where status <> 'succeeded' or attempts <> 1) as n`,
    );
    return Number(row?.n) === 0;
  };
  await until('every delivery succeeded at its first attempt', open, PATIENT);
  const rows = await stage.rows<{ id: string }>('select event_id as id from webhook_deliveries');
  const ledger = await receivers.ledger();
  const wrong = rows.filter(({ id }) => ledger.get(id)?.requests !== 1);
  if (wrong.length > 0 || ledger.size !== rows.length)
    throw new Error(`${wrong.length} of ${rows.length} events did not come exactly once`);
}

/** Throws when an event is lost or doubled. */
export async function benchHeld(sizes: HeldSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const receivers = await startReceivers();
  closing.defer(() => receivers.kill());
  const opened = await receivers.open(Array.from({ length: 1 + OTHERS }, () => 'good' as const));
  const trustedOrigins = opened.map(({ origin }) => origin);
  const stage = await openWebhookStage({ trustedOrigins, receiver: receivers });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  for (const { origin } of opened) targets.push(await stage.aTarget(`${origin}/hooks`));
  const [held, ...others] = targets;
  if (!held) throw new TypeError('no endpoint');
  const input = { name: 'Bench', scopes: ['webhooks:read', 'webhooks:write'], lifetime: 'never' };
  const { key } = await createApiKey(held.ctx, input);
  const api = await stage.processes.start('api');
  const worker = await stage.processes.start('worker');
  return await measure({ stage, receivers, api, worker, key, held, others, sizes });
}
