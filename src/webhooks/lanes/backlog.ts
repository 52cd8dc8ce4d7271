import type { Wake } from '../../context.ts';
import type { Clock } from '../../db/clock.ts';
import { type Database, inWorkspace, KEPT_PLAN } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { faultPoint } from '../../fault-points.ts';
import { resendChunk } from '../resending.ts';
import { drainPace, fullLaneMs, LOOK_AHEAD_MS, RELEASED_AHEAD_MS } from '../rules.ts';
import {
  ALL_HELD,
  COUNT_IN_LANE,
  END_CHUNK,
  HOLD_BACK,
  HOLD_BEGUN_CHUNK,
  HOLD_CHUNK,
  LOCK_ENDPOINT,
  NEXT_DUE,
  RELEASE,
  RESENT_ALL,
  SET_DRAIN_AT,
} from './backlog-queries.ts';

export interface BacklogParts {
  readonly database: Pick<Database, 'app'>;
  readonly clock: Clock;
  readonly wake: Wake;
}

/** Which endpoint; ids only, for anybody may read a workflow's history. */
export interface EndpointIds {
  readonly organizationId: string;
  readonly endpointId: string;
}

/** What the workflow does next, and what an operator reads about it. No personal data. */
export type DrainStep =
  | { readonly next: 'end'; readonly moved: number; readonly says: string }
  | {
      readonly next: 'look';
      readonly moved: number;
      readonly says: string;
      readonly stage: 'draining' | 'waiting' | 'resending' | 'holding' | 'ending';
      readonly waitMs: number;
      /** What the wait is for. */
      readonly why: string;
    };

interface EndpointState {
  readonly status: 'active' | 'paused';
  readonly deleted: boolean;
  /** Of an active one: since when its backlog is still to be held before anything is released. */
  readonly pausedAt: Date | null;
  readonly failuresInRow: number;
  readonly resendBefore: Date | null;
  /** An operator ended its drain: what was held then stays so until it is resumed. */
  readonly heldBack: boolean;
}

interface NextDue {
  readonly fresh: Date | null;
  readonly retry: Date | null;
}

/** Rows of one transaction: it may hold up nobody for longer than a tenth of a second. */
const CHUNK = 1_000;
const AT_ONCE_MS = 20;
const IN_FLIGHT_MS = 1_000;
/** A row is looked at again at the latest then, in case somebody changed it without a word. */
const LONGEST_MS = 3_600_000;

/** How long before its time a retry is released, and how long before that somebody looks. Milliseconds. */
interface Ahead {
  readonly releasedMs: number;
  readonly lookMs: number;
}

interface Times {
  readonly now: Date;
  readonly ahead: Ahead;
}

const AHEAD: Ahead = { releasedMs: RELEASED_AHEAD_MS, lookMs: LOOK_AHEAD_MS };
const ON_TIME: Ahead = { releasedMs: 0, lookMs: 0 };

/**
 * One look at an endpoint's backlog: its row decides what becomes of what waits for it. Safe to repeat.
 * The endpoint's row stays locked meanwhile, so that pausing, resuming and a new backlog are either seen
 * or come after.
 */
export async function drainBacklog(
  { database, clock, wake }: BacklogParts,
  { organizationId, endpointId }: EndpointIds,
): Promise<DrainStep> {
  const now = clock.now();
  const place = [organizationId, endpointId];
  const ahead = clock.skips ? ON_TIME : AHEAD;
  const look = async (sql: Sql): Promise<DrainStep> => {
    const endpoint = await first<EndpointState>(sql, LOCK_ENDPOINT, place, 'lock-endpoint');
    // A database restored from before the endpoint was made.
    if (!endpoint) return end(0, 'The endpoint is gone.');
    const seen = await lookAt(sql, { organizationId, endpointId }, endpoint, { now, ahead });
    const nextLook = seen.next === 'look' ? new Date(now.getTime() + seen.waitMs) : null;
    await sql.rows(SET_DRAIN_AT, [...place, nextLook], 'set-drain-at');
    return seen;
  };
  const step = await inWorkspace(database, organizationId, look, KEPT_PLAN);
  if (step.moved > 0) {
    faultPoint('after-release');
    void wake('endpoints');
  }
  return step;
}

async function lookAt(
  sql: Sql,
  { organizationId, endpointId }: EndpointIds,
  endpoint: EndpointState,
  times: Times,
): Promise<DrainStep> {
  const { now } = times;
  const place = [organizationId, endpointId];
  const before = endpoint.deleted ? null : endpoint.resendBefore;
  if (before) {
    const wish = { organizationId, endpointId, before, limit: CHUNK, to: 'backlog' } as const;
    if ((await resendChunk(sql, wish)).resent === CHUNK) return again('resending');
    await sql.rows(RESENT_ALL, place);
  }
  if (endpoint.deleted) return endRest(sql, place, now);
  if (endpoint.status === 'paused') return holdRest(sql, place, endpoint.pausedAt ?? now);
  if (endpoint.pausedAt && !(await holdBegun(sql, place, endpoint.pausedAt)))
    return { ...again('holding'), says: 'The endpoint was paused: what waits gets its time back.' };
  return releaseDue(sql, place, endpoint, times);
}

/**
 * An operator cancelled the workflow: what waits in the backlog is held until the endpoint is resumed. What
 * comes to it later goes out as before, and so do retries in the lane and those with a workflow, at their times.
 */
export async function holdBacklog(
  { database, clock }: Pick<BacklogParts, 'database' | 'clock'>,
  { organizationId, endpointId }: EndpointIds,
): Promise<void> {
  const now = clock.now();
  const place = [organizationId, endpointId];
  const hold = async (sql: Sql): Promise<boolean> => {
    const endpoint = await first<EndpointState>(sql, LOCK_ENDPOINT, place, 'lock-endpoint');
    const paused = endpoint?.status === 'paused';
    const params = [...place, endpoint?.pausedAt ?? now, CHUNK, paused];
    const isMore = (await sql.rows(HOLD_CHUNK, params, 'hold-chunk')).length === CHUNK;
    if (!isMore) await sql.rows(HOLD_BACK, [...place, now]);
    return isMore;
  };
  while (await inWorkspace(database, organizationId, hold));
}

async function endRest(sql: Sql, place: readonly string[], now: Date): Promise<DrainStep> {
  const ended = await sql.rows(END_CHUNK, [...place, now, CHUNK], 'end-chunk');
  if (ended.length === CHUNK) return again('ending');
  return end(0, 'The endpoint is deleted; nothing is attempted again.');
}

async function holdRest(sql: Sql, place: readonly string[], since: Date): Promise<DrainStep> {
  const held = await sql.rows(HOLD_CHUNK, [...place, since, CHUNK, true], 'hold-chunk');
  if (held.length === CHUNK) return again('holding');
  if ((await countInLane(sql, place, 1, 0)) === 0)
    return end(0, 'The endpoint is paused: everything is held until it is resumed.');
  return { ...again('holding'), waitMs: IN_FLIGHT_MS, why: 'attempts in flight' };
}

/** Answers whether that was all. */
async function holdBegun(sql: Sql, place: readonly string[], since: Date): Promise<boolean> {
  const held = await sql.rows(HOLD_BEGUN_CHUNK, [...place, since, CHUNK], 'hold-begun');
  if (held.length === CHUNK) return false;
  await sql.rows(ALL_HELD, place);
  return true;
}

const CHUNKS = {
  resending: 'Putting what failed into the backlog again.',
  holding: 'The endpoint is paused: holding what waits for it.',
  ending: 'The endpoint is deleted: ending what is left.',
};

const again = (stage: keyof typeof CHUNKS): Extract<DrainStep, { next: 'look' }> => ({
  next: 'look',
  moved: 0,
  says: CHUNKS[stage],
  stage,
  waitMs: AT_ONCE_MS,
  why: 'the next chunk',
});

async function releaseDue(
  sql: Sql,
  place: readonly string[],
  { failuresInRow, heldBack }: EndpointState,
  { now, ahead }: Times,
): Promise<DrainStep> {
  const pace = drainPace(failuresInRow);
  const room = pace.inLane - (await countInLane(sql, place, pace.inLane, ahead.releasedMs));
  const params = [...place, now, room, Math.min(room, pace.fresh), ahead.releasedMs, heldBack];
  const moved = room > 0 ? (await sql.rows(RELEASE, params, 'release-backlog')).length : 0;
  const next = await first<NextDue>(sql, NEXT_DUE, [...place, heldBack], 'next-due');
  const enoughMs = fullLaneMs(room, pace.inLane);
  const soonest = (everyMs: number): number => now.getTime() + Math.max(everyMs, enoughMs);
  const lookAts = [
    next?.fresh && Math.max(next.fresh.getTime(), soonest(pace.everyMs)),
    next?.retry && Math.max(next.retry.getTime() - ahead.lookMs, soonest(pace.retryEveryMs)),
  ].filter((at) => typeof at === 'number');
  if (lookAts.length === 0)
    return end(moved, heldBack ? 'What an operator had held stays so.' : 'Nothing waits any more.');
  const waitMs = Math.min(LONGEST_MS, Math.min(...lookAts) - now.getTime());
  const moreNow = (next?.fresh ?? next?.retry ?? now) <= now;
  return {
    next: 'look',
    moved,
    says: moreNow
      ? 'Releasing what waits, oldest first, as the endpoint takes it.'
      : `Nothing is to be released before ${new Date(now.getTime() + waitMs).toISOString()}.`,
    stage: moreNow ? 'draining' : 'waiting',
    waitMs,
    why: moreNow ? 'room in the lane of attempts' : 'the earliest delivery that is due',
  };
}

/** @param dueInMs those that wait in the lane for a later time are not counted */
async function countInLane(
  sql: Sql,
  place: readonly string[],
  most: number,
  dueInMs: number,
): Promise<number> {
  const params = [...place, most, dueInMs];
  const row = await first<{ n: number }>(sql, COUNT_IN_LANE, params, 'count-in-lane');
  return row?.n ?? 0;
}

const end = (moved: number, says: string): DrainStep => ({ next: 'end', moved, says });
