import { first, type Sql } from '../../db/sql.ts';
import {
  type DrainPace,
  drainPace,
  fullLaneMs,
  LOOK_AHEAD_MS,
  RELEASED_AHEAD_MS,
  RELEASED_SOON_MS,
} from '../rules.ts';
import { COUNT_IN_LANE, NEXT_DUE, RELEASE } from './backlog-queries.ts';
import { type DrainStep, end } from './drain-step.ts';

interface NextDue {
  readonly fresh: Date | null;
  readonly retry: Date | null;
}

/** A row is looked at again at the latest then, in case somebody changed it without a word. */
const LONGEST_MS = 3_600_000;

/** How long before its time a retry is released, and how long before that somebody looks. Milliseconds. */
interface Ahead {
  readonly releasedMs: number;
  /** Where too many wait in the lane for times as late as that. */
  readonly soonMs: number;
  readonly lookMs: number;
}

export interface Times {
  readonly now: Date;
  readonly ahead: Ahead;
}

export const AHEAD: Ahead = {
  releasedMs: RELEASED_AHEAD_MS,
  soonMs: RELEASED_SOON_MS,
  lookMs: LOOK_AHEAD_MS,
};
export const ON_TIME: Ahead = { releasedMs: 0, soonMs: 0, lookMs: 0 };

interface Draining {
  readonly failuresInRow: number;
  /** What is held stays so. */
  readonly heldBack: boolean;
}

/** Lets what is due into the lane of attempts, as far as there is room, and says when to look again. */
export async function releaseDue(
  sql: Sql,
  place: readonly string[],
  { failuresInRow, heldBack }: Draining,
  { now, ahead }: Times,
): Promise<DrainStep> {
  const pace = drainPace(failuresInRow);
  const { room, aheadMs } = await roomFor(sql, place, pace, ahead);
  const params = [...place, now, room, Math.min(room, pace.fresh), aheadMs, heldBack];
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

/**
 * Retries that wait in the lane for their times may fill it while others are due before them: then there is
 * room for those that are due soon, so that each begins at its time.
 */
async function roomFor(
  sql: Sql,
  place: readonly string[],
  { inLane }: DrainPace,
  { releasedMs, soonMs }: Ahead,
): Promise<{ readonly room: number; readonly aheadMs: number }> {
  const roomAhead = async (aheadMs: number) => ({
    room: inLane - (await countInLane(sql, place, inLane, aheadMs)),
    aheadMs,
  });
  const far = await roomAhead(releasedMs);
  return fullLaneMs(far.room, inLane) === 0 || soonMs === releasedMs ? far : roomAhead(soonMs);
}

/** @param dueInMs those that wait in the lane for a later time are not counted */
export async function countInLane(
  sql: Sql,
  place: readonly string[],
  most: number,
  dueInMs: number,
): Promise<number> {
  const params = [...place, most, dueInMs];
  const row = await first<{ n: number }>(sql, COUNT_IN_LANE, params, 'count-in-lane');
  return row?.n ?? 0;
}
