import { queueState } from '../conversations/lane/claims.ts';
import type { Sql } from '../db/sql.ts';
import { first } from '../db/sql.ts';

/** What an operator watches; all counts are since the process began, unless they say otherwise. */
export interface RelayFigures {
  /** Facts in the queue now, those set aside, and the age of the oldest one that waits. */
  factsWaiting: number;
  factsDead: number;
  oldestFactSeconds: number;
  /** Messages in the queue that nobody has in hand, and the age of the oldest. */
  sendsWaiting: number;
  oldestSendSeconds: number;
  /** Attempts of webhooks without a workflow, by the status they led to. */
  readonly firstAttempts: Record<string, number>;
  /** Triggers of automations that started no run, by the reason: of all processes, since ever. */
  triggersDropped: Readonly<Record<string, number>>;
  /** Runs that the guard against loops ended: of all processes, since ever. */
  runsLooped: number;
  commandsDone: number;
  commandsFailed: number;
}

export const noFigures = (): RelayFigures => ({
  factsWaiting: 0,
  factsDead: 0,
  oldestFactSeconds: 0,
  sendsWaiting: 0,
  oldestSendSeconds: 0,
  firstAttempts: {},
  triggersDropped: {},
  runsLooped: 0,
  commandsDone: 0,
  commandsFailed: 0,
});

const QUEUE = `
  select count(*) filter (where dead_at is null) as waiting, count(*) filter (where dead_at is not null) as dead,
    coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8 as oldest
  from facts`;

/** Kept with what started no run, and no such thing. */
const LOOPED = 'loop_detected';
const DROPPED = 'select reason, sum(count)::float8 as count from automation_drops group by reason';

/** Brings the figures about the queues up to date. */
export async function measureQueue(sql: Sql, figures: RelayFigures): Promise<void> {
  type Queue = { waiting: number; dead: number; oldest: number };
  const queue = await first<Queue>(sql, QUEUE, [], 'facts-queue');
  figures.factsWaiting = queue?.waiting ?? 0;
  figures.factsDead = queue?.dead ?? 0;
  figures.oldestFactSeconds = queue?.oldest ?? 0;
  const sends = await queueState(sql);
  figures.sendsWaiting = sends.waiting;
  figures.oldestSendSeconds = sends.oldestSeconds;
  const dropped = await sql.rows<{ reason: string; count: number }>(
    DROPPED,
    [],
    'dropped-triggers',
  );
  const { [LOOPED]: looped = 0, ...others } = Object.fromEntries(
    dropped.map((row) => [row.reason, row.count]),
  );
  figures.triggersDropped = others;
  figures.runsLooped = looped;
}
