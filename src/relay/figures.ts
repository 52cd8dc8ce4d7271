import { queueState } from '../conversations/lane/claims.ts';
import type { Sql } from '../db/sql.ts';
import { first } from '../db/sql.ts';
import { IN_LANE } from '../webhooks/lanes/rows.ts';

/** How long the oldest of a queue has waited, as of when it was measured. */
interface Ages {
  oldestFactSeconds: number;
  /** Of the messages that no process has taken. */
  oldestSendSeconds: number;
  /** Of WhatsApp's webhooks that are not taken in. */
  oldestInboundSeconds: number;
  /** Of the happenings that wait for automations to act on them. */
  oldestTriggerSeconds: number;
  /** Of the webhooks that are due in the lane, and of the looks at backlogs. */
  oldestWebhookSeconds: number;
}
export type Age = keyof Ages;

/** What operators watch. Counts start with the process unless they say otherwise. */
export interface RelayFigures extends Ages {
  /** By the monotonic clock, in milliseconds. */
  readonly measuredAt: Record<Age, number>;
  /** Facts in the queue now, and those set aside. */
  factsWaiting: number;
  factsDead: number;
  /** Queued messages that no process has taken. */
  sendsWaiting: number;
  /** First attempts of webhooks, by the status they led to. */
  readonly firstAttempts: Record<string, number>;
  /** Triggers of automations that started no run, by reason: over all processes and all time. */
  triggersDropped: Readonly<Record<string, number>>;
  /** Runs ended by the guard against loops: over all processes and all time. */
  runsLooped: number;
  commandsDone: number;
  commandsFailed: number;
}

export function noFigures(): RelayFigures {
  const now = performance.now();
  return {
    factsWaiting: 0,
    factsDead: 0,
    oldestFactSeconds: 0,
    sendsWaiting: 0,
    oldestSendSeconds: 0,
    oldestInboundSeconds: 0,
    oldestTriggerSeconds: 0,
    oldestWebhookSeconds: 0,
    measuredAt: {
      oldestFactSeconds: now,
      oldestSendSeconds: now,
      oldestInboundSeconds: now,
      oldestTriggerSeconds: now,
      oldestWebhookSeconds: now,
    },
    // From 0 on: an alert divides by their sum, and what begins with its first one does not rise.
    firstAttempts: { succeeded: 0, retrying: 0, failed: 0, blocked: 0 },
    triggersDropped: {},
    runsLooped: 0,
    commandsDone: 0,
    commandsFailed: 0,
  };
}

/** Measuring missed three times or so. */
const LATE_MS = 15_000;

/** The ages now. One that could not be measured for long has grown since: not knowing counts as late. */
export function agesNow({ measuredAt, ...figures }: RelayFigures, now = performance.now()): Ages {
  const ageNow = (age: Age): number => {
    const sinceMs = now - measuredAt[age];
    return figures[age] + (sinceMs > LATE_MS ? sinceMs / 1_000 : 0);
  };
  return {
    oldestFactSeconds: ageNow('oldestFactSeconds'),
    oldestSendSeconds: ageNow('oldestSendSeconds'),
    oldestInboundSeconds: ageNow('oldestInboundSeconds'),
    oldestTriggerSeconds: ageNow('oldestTriggerSeconds'),
    oldestWebhookSeconds: ageNow('oldestWebhookSeconds'),
  };
}

const QUEUE = `
  select count(*) filter (where dead_at is null) as waiting, count(*) filter (where dead_at is not null) as dead,
    coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8 as oldest
  from facts`;

const INBOUND = `
  select extract(epoch from now() - received_at)::float8 as oldest from inbound_webhooks
  where processed_at is null order by seq limit 1`;

const HAPPENINGS =
  'select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest from automation_triggers';

/**
 * What is in a process's hand is leased until later, so the first entry of the lane's index is what nobody takes. The
 * looks are as few as the endpoints with a backlog, and have an index of their own.
 */
const WEBHOOKS = `
  select greatest(0, extract(epoch from now() - least(
    (select d.lease_until from webhook_deliveries d where ${IN_LANE} order by d.lease_until limit 1),
    (select min(drain_at) from webhook_endpoints where drain_at is not null))))::float8 as oldest`;

/** Counted in the same table, but not a reason for starting no run. */
const LOOPED = 'loop_detected';
const DROPPED = 'select reason, sum(count)::float8 as count from automation_drops group by reason';

function setAge(figures: RelayFigures, age: Age, seconds = 0): void {
  figures[age] = seconds;
  figures.measuredAt[age] = performance.now();
}

type Measure = (sql: Sql, figures: RelayFigures) => Promise<void>;

/** Each updates its own figures. */
export const measures = {
  facts: async (sql, figures) => {
    type Queue = { waiting: number; dead: number; oldest: number };
    const queue = await first<Queue>(sql, QUEUE, [], 'facts-queue');
    figures.factsWaiting = queue?.waiting ?? 0;
    figures.factsDead = queue?.dead ?? 0;
    setAge(figures, 'oldestFactSeconds', queue?.oldest);
  },
  messages: async (sql, figures) => {
    const { waiting, oldestSeconds } = await queueState(sql);
    figures.sendsWaiting = waiting;
    setAge(figures, 'oldestSendSeconds', oldestSeconds);
  },
  inbound: async (sql, figures) => {
    const inbound = await first<{ oldest: number }>(sql, INBOUND, [], 'oldest-inbound');
    setAge(figures, 'oldestInboundSeconds', inbound?.oldest);
  },
  happenings: async (sql, figures) => {
    const happenings = await first<{ oldest: number }>(sql, HAPPENINGS, [], 'oldest-trigger');
    setAge(figures, 'oldestTriggerSeconds', happenings?.oldest);
  },
  webhooks: async (sql, figures) => {
    const webhooks = await first<{ oldest: number }>(sql, WEBHOOKS, [], 'oldest-webhook');
    setAge(figures, 'oldestWebhookSeconds', webhooks?.oldest);
  },
  drops: async (sql, figures) => {
    type Drops = { reason: string; count: number };
    const dropped = await sql.rows<Drops>(DROPPED, [], 'dropped-triggers');
    const { [LOOPED]: looped = 0, ...others } = Object.fromEntries(
      dropped.map((row) => [row.reason, row.count]),
    );
    figures.triggersDropped = others;
    figures.runsLooped = looped;
  },
} satisfies Record<string, Measure>;
