/** (l) How late retries begin: each attempt beside the time it is due at. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startDrains } from '../src/webhooks/lanes/backlog/drains.ts';
import { until } from '../test/support/processes/child.ts';
import { meter } from './support/cpu.ts';
import { sentFact } from './support/people.ts';
import { startReceivers } from './support/receivers.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { steadily } from './support/steady.ts';
import { openWebhookStage, type Target, type WebhookStage } from './support/webhook-stage.ts';

export interface LatenessSizes {
  readonly runs: number;
  /** Endpoints that answer 500: half get one event each, whose retries are a workflow, the others many. */
  readonly endpoints: number;
  /** Events a second to those that get many, all together, and for how many seconds. */
  readonly pace: number;
  readonly seconds: number;
  /** Deliveries of one more endpoint, which has been down: more than wait in the lane, so they stand in its backlog. */
  readonly crowd: number;
  /** Waits between attempts are so much shorter than in production, without jitter. */
  readonly backoffScale: number;
  /** Attempts of each delivery that are waited for. */
  readonly attempts: number;
}

type Group = 'with a workflow' | 'waiting in the lane' | 'of a long backlog';

interface Measured {
  readonly lateMs: Readonly<Record<Group, readonly number[]>>;
  readonly workerSeconds: number;
  readonly elsewhere: number;
}

const FIRST_STEP_MS = 30_000;
const LIMIT_MS = 1_000;

const LATE = `
  select * from (
    select d.endpoint_id as endpoint, a.number,
      extract(epoch from a.started_at - lag(a.started_at) over (partition by a.delivery_id order by a.number))::float8 * 1000
        - ${FIRST_STEP_MS} * power(2, a.number - 2) * $1 as late
    from webhook_attempts a join webhook_deliveries d on d.day = a.day and d.id = a.delivery_id
    where a.number <= $2) each
  where number > 1`;

interface LateRow {
  readonly endpoint: string;
  readonly late: number;
}

async function lateness(
  stage: WebhookStage,
  { backoffScale, attempts }: LatenessSizes,
  groupOf: ReadonlyMap<string, Group>,
): Promise<Measured['lateMs']> {
  const rows = await stage.rows<LateRow>(LATE, [backoffScale, attempts]);
  const of = (group: Group): number[] =>
    rows.filter(({ endpoint }) => groupOf.get(endpoint) === group).map(({ late }) => late);
  return {
    'with a workflow': of('with a workflow'),
    'waiting in the lane': of('waiting in the lane'),
    'of a long backlog': of('of a long backlog'),
  };
}

/** Deliveries whose first attempts fail within the next twenty seconds, as of an endpoint that has long been down. */
async function longBacklog(
  stage: WebhookStage,
  { ctx, endpointId }: Target,
  { crowd, backoffScale }: LatenessSizes,
): Promise<void> {
  const { organizationId } = ctx;
  const change = (set: string): Promise<unknown> =>
    stage.rows(`update webhook_endpoints set ${set} where id = $1`, [endpointId]);
  await change("status = 'paused', paused_at = now()");
  await stage.commit(
    ctx,
    Array.from({ length: crowd }, (_, n) => sentFact(organizationId, n)),
  );
  const count =
    "select count(*) as n from webhook_deliveries where endpoint_id = $1 and status = 'held'";
  const held = async (): Promise<boolean> =>
    Number((await stage.rows<{ n: string }>(count, [endpointId]))[0]?.n) === crowd;
  await until('what happens is held', held, { timeoutMs: 60_000, everyMs: 200 });
  await stage.rows(
    `with places as (
       select day, id, row_number() over (order by id) - 1 as place from webhook_deliveries where endpoint_id = $1
     ), begun as (
       update webhook_deliveries d set status = 'retrying', attempts = 1, round_attempts = 1, held_at = null,
         first_attempt_at = now() + place * interval '20 seconds' / $2,
         next_attempt_at = now() + place * interval '20 seconds' / $2 + $3 * interval '1 millisecond',
         lease_until = now() + place * interval '20 seconds' / $2 + $3 * interval '1 millisecond'
       from places p where d.day = p.day and d.id = p.id
       returning d.day, d.organization_id, d.id, d.first_attempt_at
     )
     insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms)
     select day, organization_id, id, 1, first_attempt_at, 500, 1 from begun`,
    [endpointId, crowd, FIRST_STEP_MS * backoffScale],
  );
  await change("status = 'active', paused_at = null, drain_at = null, failures_in_row = 20");
  await startDrains({ rows: (text, params) => stage.rows<never>(text, params) }, [
    { endpointId, due: null },
  ]);
}

async function play(stage: WebhookStage, targets: readonly Target[], sizes: LatenessSizes) {
  const { endpoints, pace, seconds } = sizes;
  const [busiest, ...others] = targets;
  if (!busiest) throw new TypeError('no endpoint');
  const single = others.slice(0, endpoints / 2);
  const many = others.slice(single.length);
  const events = pace * seconds;
  await Promise.all([
    longBacklog(stage, busiest, sizes),
    steadily(stage, single, single.length / seconds, (n) => n < single.length),
    steadily(stage, many, pace, (n) => n < events),
  ]);
  return new Map<string, Group>([
    [busiest.endpointId, 'of a long backlog'],
    ...single.map(({ endpointId }) => [endpointId, 'with a workflow'] as const),
    ...many.map(({ endpointId }) => [endpointId, 'waiting in the lane'] as const),
  ]);
}

async function run(sizes: LatenessSizes): Promise<Measured> {
  await using closing = new AsyncDisposableStack();
  const receivers = await startReceivers();
  closing.defer(() => receivers.kill());
  const kinds = Array.from({ length: sizes.endpoints + 1 }, () => 'answers 500' as const);
  const opened = await receivers.open(kinds);
  const stage = await openWebhookStage({
    trustedOrigins: opened.map(({ origin }) => origin),
    receiver: receivers,
    environment: { BACKOFF_SCALE: String(sizes.backoffScale) },
  });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  for (const { origin } of opened) targets.push(await stage.aTarget(`${origin}/hooks`));
  const worker = await stage.processes.start('worker');
  await sleep(2_000);
  const used = meter([{ name: 'worker', pid: worker.pid }, ...stage.watched]);
  const groupOf = await play(stage, targets, sizes);
  const all = async (): Promise<boolean> => {
    const [row] = await stage.rows<{ left: string }>(
      `select (select count(*) from facts where is_event) + count(*) as left
       from webhook_deliveries where attempts < $1`,
      [sizes.attempts],
    );
    return row?.left === '0';
  };
  const stepsMs = FIRST_STEP_MS * sizes.backoffScale * 2 ** (sizes.attempts - 1);
  await until('every attempt is made', all, { timeoutMs: stepsMs + 120_000, everyMs: 1_000 });
  const usage = used();
  const lateMs = await lateness(stage, sizes, groupOf);
  return { lateMs, workerSeconds: usage.seconds['worker'] ?? 0, elsewhere: usage.elsewhere };
}

function figures(runs: readonly Measured[]): Figure[] {
  const groups = Object.keys(runs[0]?.lateMs ?? {}) as Group[];
  const of = (group: Group, value: (late: readonly number[]) => number): number[] =>
    runs.map(({ lateMs }) => value(lateMs[group]));
  return [
    ...groups.flatMap((group): Figure[] => [
      { what: `retries ${group}`, values: of(group, (late) => late.length) },
      { what: 'the earliest, ms late', values: of(group, (late) => Math.min(...late)), atLeast: 0 },
      { what: 'p50, ms late', values: of(group, (late) => percentile(late, 0.5)) },
      { what: 'p99, ms late', values: of(group, (late) => percentile(late, 0.99)) },
      {
        what: 'the latest, ms late',
        values: of(group, (late) => Math.max(...late)),
        atMost: LIMIT_MS,
      },
    ]),
    { what: 'CPU s of the worker', digits: 1, values: runs.map((one) => one.workerSeconds) },
  ];
}

/** Waits until each delivery has had its attempts; throws when one does not come. */
export async function benchLateness(sizes: LatenessSizes): Promise<boolean> {
  const runs: Measured[] = [];
  for (let n = 0; n < sizes.runs; n++) runs.push(await run(sizes));
  const { endpoints, pace, seconds, crowd, attempts, backoffScale } = sizes;
  return report(
    `(l) ${endpoints} endpoints that answer 500, ${pace} events/s for ${seconds} s, and one with ${crowd} in its backlog: ` +
      `attempts 2 to ${attempts}, waits ${backoffScale} of production's; ${sizes.runs} runs`,
    figures(runs),
    runs.map(({ elsewhere }) => elsewhere),
  );
}
