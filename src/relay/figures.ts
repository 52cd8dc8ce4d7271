import { queueState } from '../conversations/lane/claims.ts';
import type { Sql } from '../db/sql.ts';
import { first } from '../db/sql.ts';

/** What operators watch. Counts start with the process unless they say otherwise. */
export interface RelayFigures {
  /** Facts in the queue now, those set aside, and the age of the oldest waiting one. */
  factsWaiting: number;
  factsDead: number;
  oldestFactSeconds: number;
  /** Queued messages that no process has taken, and the age of the oldest. */
  sendsWaiting: number;
  oldestSendSeconds: number;
  /** The age of the oldest webhook of WhatsApp that is not taken in. */
  oldestInboundSeconds: number;
  /** The age of the oldest happening that waits for automations to act on it. */
  oldestTriggerSeconds: number;
  /** Webhook attempts without a workflow, by the status they led to. */
  readonly firstAttempts: Record<string, number>;
  /** Triggers of automations that started no run, by reason: over all processes and all time. */
  triggersDropped: Readonly<Record<string, number>>;
  /** Runs ended by the guard against loops: over all processes and all time. */
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
  oldestInboundSeconds: 0,
  oldestTriggerSeconds: 0,
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

const INBOUND = `
  select extract(epoch from now() - received_at)::float8 as oldest from inbound_webhooks
  where processed_at is null order by seq limit 1`;

const HAPPENINGS =
  'select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest from automation_triggers';

/** Counted in the same table, but not a reason for starting no run. */
const LOOPED = 'loop_detected';
const DROPPED = 'select reason, sum(count)::float8 as count from automation_drops group by reason';

/** Updates the figures about the queues. */
export async function measureQueue(sql: Sql, figures: RelayFigures): Promise<void> {
  type Queue = { waiting: number; dead: number; oldest: number };
  const queue = await first<Queue>(sql, QUEUE, [], 'facts-queue');
  figures.factsWaiting = queue?.waiting ?? 0;
  figures.factsDead = queue?.dead ?? 0;
  figures.oldestFactSeconds = queue?.oldest ?? 0;
  const sends = await queueState(sql);
  figures.sendsWaiting = sends.waiting;
  figures.oldestSendSeconds = sends.oldestSeconds;
  const inbound = await first<{ oldest: number }>(sql, INBOUND, [], 'oldest-inbound');
  figures.oldestInboundSeconds = inbound?.oldest ?? 0;
  const happenings = await first<{ oldest: number }>(sql, HAPPENINGS, [], 'oldest-trigger');
  figures.oldestTriggerSeconds = happenings?.oldest ?? 0;
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
