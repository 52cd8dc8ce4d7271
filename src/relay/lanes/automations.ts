import { system } from '../../access/actor.ts';
import type { RunRef } from '../../automations/running/advance.ts';
import type { RunDeps } from '../../automations/running/deps.ts';
import { actOn, goOn } from '../../automations/running/listening/acting.ts';
import { forEachLimited } from '../../concurrency.ts';
import { contextsOf } from '../../db/contexts.ts';
import { sqlOver } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { inSpan, type Traceparent } from '../../tracing/spans.ts';
import { createLoop, type Loop } from '../loop.ts';
import type { RelayParts } from '../parts.ts';
import { BY_ITSELF_MS, DUE_FIRST, POLL_EVERY_MS } from '../polling.ts';

/** Happenings make the lane look many times a second; the runs they start wait longer than this. */
const LOOK_APART_MS = 100;
/** Fewer than the pool's connections, which others need as well. */
const AT_ONCE = 8;
const PAGE = 256;
/** How many of each a workspace has before it is the next one's turn: people who have written, runs, and others. */
const WRITERS = 64;
const RUNS = 32;
const OTHERS = 32;
/** How many of its oldest are examined for each person's first, so that one person's many do not delay others. */
const OLDEST = 256;

/**
 * Workspaces take turns, so that thousands of one do not delay the few of another, and in each those who have written
 * go first: they wait for an answer, and those of a schedule or an import do not. For each person only the oldest,
 * because happenings of a person are acted on in order.
 */
const WAITING = `
with recursive owners as (
  (select organization_id from automation_triggers where organization_id > $1 order by organization_id limit 1)
  union all
  select (select t.organization_id from automation_triggers t
    where t.organization_id > o.organization_id order by t.organization_id limit 1)
  from owners o where o.organization_id is not null
)
select o.organization_id as "organizationId", due.id, due.trace, due.wrote
from owners o cross join lateral (
  select * from (select distinct on (e.id) e.id, e.trace, e.wrote from (
    select f.id, f.trace, true as wrote from (
      select m.contact_id from (
        select t.id, t.contact_id from automation_triggers t
        where t.organization_id = o.organization_id and t.is_message and t.not_before <= now()
        order by t.id limit ${OLDEST}) m
      group by m.contact_id order by min(m.id) limit ${WRITERS}) w
    cross join lateral (
      select t.id, t.trace from automation_triggers t
      where t.organization_id = o.organization_id and t.contact_id = w.contact_id and t.not_before <= now()
      order by t.id limit 1) f
    union all
    (select distinct on (n.contact_id) n.id, n.trace, false from (
      select t.id, t.contact_id, t.trace from automation_triggers t
      where t.organization_id = o.organization_id and t.not_before <= now() order by t.id limit ${OLDEST}) n
    order by n.contact_id, n.id limit ${OTHERS})) e
  order by e.id, e.wrote desc) x order by wrote desc, id) due
limit ${PAGE}`;

/** In the workspace's own context: 1 s, 2 s, 4 s … 5 min. */
const LATER = `
update automation_triggers set tries = tries + 1,
  not_before = now() + least(interval '1 second' * power(2, least(tries, 10)), interval '5 minutes')
where organization_id = $1 and id = $2`;

/** Runs whose short waits are over, or will be before the next look. */
const SOON = `
select organization_id as "organizationId", id as "runId", lane_at as "laneAt", trace, turn from (
  select d.*, (row_number() over (partition by organization_id order by lane_at, id))::int as turn from (
    select organization_id, id, lane_at, trace
    from automation_runs where lane_at <= $1 order by lane_at limit ${DUE_FIRST}) d) t
where turn <= ${RUNS} order by turn, lane_at limit ${PAGE}`;

interface Soon extends RunRef {
  readonly laneAt: Date;
  readonly trace: Traceparent;
  /** Its place among those of its workspace: from 1 to `RUNS`. */
  readonly turn: number;
}

interface Waiting {
  readonly organizationId: string;
  readonly id: string;
  readonly trace: Traceparent;
  /** Whether it is a message, or what the person who wrote one is to have before it. */
  readonly wrote: boolean;
}

type Job = () => Promise<unknown>;

const traced = (name: string, { trace }: Pick<Waiting, 'trace'>, work: Job): Promise<unknown> =>
  inSpan(name, { causes: [trace], kind: 'CONSUMER' }, work);

/**
 * Acts on happenings and takes the steps of runs in this process. A run with a short wait needs no workflow; for a
 * longer one, the command recorded with the wait starts it.
 */
export function createAutomationLane(parts: RelayParts): Loop {
  const { database, waker, clock, log } = parts;
  const deps: RunDeps = {
    ...parts,
    contextFor: contextsOf({ database, wake: waker.wake, clock }),
  };

  /** A failing one is postponed, so that it does not hold up the others. */
  async function putOff({ organizationId, id }: Waiting, err: unknown): Promise<void> {
    log.error({ err, trigger: id }, 'an automation could not be started yet');
    const ctx = deps.contextFor(organizationId, system('automations'));
    await transact(ctx, (tx) => tx.sql.rows(LATER, [organizationId, id]));
  }

  /** The workspace that had the last turn in a full page. */
  let after = '';
  let timer: NodeJS.Timeout | undefined;

  /** Monotonic time before which no look for runs is needed, because the last look covered it. */
  let lookAt = 0;

  /** Runs that are due now, or will be shortly; each continues at its moment. */
  async function due(sql: Sql): Promise<Soon[]> {
    if (performance.now() < lookAt) return [];
    lookAt = performance.now() + LOOK_APART_MS;
    const now = clock.now().getTime();
    const until = new Date(now + POLL_EVERY_MS);
    const soon = await sql.rows<Soon>(SOON, [until], 'runs-due-soon');
    const next = Math.min(...soon.map(({ laneAt }) => laneAt.getTime()).filter((at) => at > now));
    clearTimeout(timer);
    const again = (): void => {
      lookAt = 0;
      loop.poke();
    };
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(again, next - now).unref();
    if (soon.length === PAGE || soon.some(({ turn }) => turn === RUNS)) lookAt = 0;
    return soon.filter(({ laneAt }) => laneAt.getTime() <= now);
  }

  async function happenings(sql: Sql): Promise<{ waiting: Waiting[]; more: boolean }> {
    const began = after;
    const waiting = await sql.rows<Waiting>(WAITING, [began], 'waiting-triggers');
    after = waiting.length === PAGE ? (waiting.at(-1)?.organizationId ?? '') : '';
    // A round that began in the middle has not seen the first ones.
    return { waiting, more: waiting.length > 0 || began !== '' };
  }

  const acting = (waiting: readonly Waiting[]): Job[] =>
    waiting.map((one) => () => {
      const act = () => actOn(deps, one).catch((err: unknown) => putOff(one, err));
      return traced('act on a happening', one, act);
    });

  async function work(sql: Sql): Promise<boolean> {
    const runs = await due(sql);
    const { waiting, more } = await happenings(sql);
    const all: Job[] = [
      ...acting(waiting.filter(({ wrote }) => wrote)),
      ...runs.map((run) => () => traced('go on with a run', run, () => goOn(deps, run))),
      ...acting(waiting.filter(({ wrote }) => !wrote)),
    ];
    let left = 0;
    await forEachLimited(AT_ONCE, all, (job) =>
      job().catch(() => {
        left += 1;
      }),
    );
    if (left > 0) throw new Error(`${left} automations wait for the database`);
    return more || runs.length > 0;
  }

  const loop = createLoop({
    name: 'the lane of automations',
    everyMs: BY_ITSELF_MS,
    log,
    work: () => work(sqlOver(database.system)),
  });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      clearTimeout(timer);
    },
  };
}
