import { first, type Sql } from '../../../db/sql.ts';
import { HOUR_MS } from '../../../durations.ts';
import {
  type DrainPace,
  drainPace,
  fullLaneMs,
  LOOK_AHEAD_MS,
  RELEASED_AHEAD_MS,
  RELEASED_SOON_MS,
} from '../../rules.ts';
import { type DrainStep, end } from './drain-step.ts';
import { COUNT_IN_LANE, NEXT_DUE, RELEASE } from './queries.ts';

interface NextDue {
  readonly fresh: Date | null;
  readonly retry: Date | null;
}

/** A row is checked again at the latest after this, in case a change was not announced. */
const LONGEST_MS = HOUR_MS;

/** How long before its time a retry is released, and how long before that the backlog is checked. Milliseconds. */
interface Ahead {
  readonly releasedMs: number;
  /** `releasedMs` if too many in the lane wait for later times. */
  readonly soonMs: number;
  readonly lookMs: number;
}

export interface Times {
  readonly now: Date;
  /** When deliveries without an attempt were last released, ISO 8601. */
  readonly freshAt?: string | undefined;
  readonly ahead: Ahead;
}

export const AHEAD: Ahead = {
  releasedMs: RELEASED_AHEAD_MS,
  soonMs: RELEASED_SOON_MS,
  lookMs: LOOK_AHEAD_MS,
};
export const ON_TIME: Ahead = { releasedMs: 0, soonMs: 0, lookMs: 0 };

interface Released {
  /** Whether it is due in the lane within `soonMs`. */
  readonly soon: boolean;
}

/** Deliveries in the lane of attempts, by when they are due there. */
interface InLane {
  readonly ahead: number;
  readonly soon: number;
  readonly now: number;
}

interface Draining {
  readonly failuresInRow: number;
  /** Whether held ones stay held. */
  readonly heldBack: boolean;
}

/** Releases due deliveries into the lane of attempts, as far as there is room, and returns when to check again. */
export async function releaseDue(
  sql: Sql,
  place: readonly string[],
  { failuresInRow, heldBack }: Draining,
  times: Times,
): Promise<DrainStep> {
  const { now, ahead } = times;
  const pace = drainPace(failuresInRow);
  const { fresh, freshAt } = freshNow(pace, times);
  const release = async (room: number, unbegun: number, aheadMs: number): Promise<Released[]> => {
    if (room <= 0) return [];
    const most = [room, Math.min(room, unbegun)];
    const params = [...place, now, ...most, aheadMs, heldBack, ahead.soonMs];
    return await sql.rows<Released>(RELEASE, params, 'release-backlog');
  };
  const lane = await countInLane(sql, place, pace.inLane, ahead);
  const room = pace.inLane - lane.ahead;
  // A lane full of deliveries waiting for their time does not mean that the endpoint is slow.
  const enoughMs = fullLaneMs(room, pace.inLane) && fullLaneMs(pace.inLane - lane.now, pace.inLane);
  const released = await release(room, fresh, ahead.releasedMs);
  // Nor may it hold up others whose time comes first.
  if (released.length === room && ahead.soonMs < ahead.releasedMs) {
    const soon = lane.soon + released.filter((one) => one.soon).length;
    const freshLeft = Math.max(0, fresh - room);
    released.push(...(await release(pace.inLane - soon, freshLeft, ahead.soonMs)));
  }
  const next = await first<NextDue>(sql, NEXT_DUE, [...place, heldBack], 'next-due');
  const lookAt = nextLook(next, pace, times, { enoughMs, freshAt });
  const moved = released.length;
  if (lookAt === null)
    return end(moved, heldBack ? 'What an operator had held stays so.' : 'Nothing waits any more.');
  const waitMs = Math.min(LONGEST_MS, lookAt - now.getTime());
  const moreNow = (next?.fresh ?? next?.retry ?? now) <= now;
  return {
    next: 'look',
    moved,
    says: moreNow
      ? 'Releasing what waits, oldest first, as the endpoint takes it.'
      : `Nothing is due for release before ${new Date(now.getTime() + waitMs).toISOString()}.`,
    stage: moreNow ? 'draining' : 'waiting',
    waitMs,
    why: moreNow ? 'room in the lane of attempts' : 'the earliest delivery that is due',
    freshAt,
  };
}

/** A look for the sake of a retry, or of a change, is no reason for more probes. */
function freshNow(
  { fresh, everyMs }: DrainPace,
  { now, freshAt }: Times,
): { readonly fresh: number; readonly freshAt: string } {
  if (freshAt !== undefined && now.getTime() - Date.parse(freshAt) < everyMs)
    return { fresh: 0, freshAt };
  return { fresh, freshAt: now.toISOString() };
}

interface Look {
  /** How long the lane has enough. */
  readonly enoughMs: number;
  readonly freshAt: string;
}

/** When to check again, Unix milliseconds; null if nothing waits. */
function nextLook(
  next: NextDue | null,
  { everyMs, retryEveryMs }: DrainPace,
  { now, ahead }: Times,
  { enoughMs, freshAt }: Look,
): number | null {
  const enoughUntil = now.getTime() + enoughMs;
  const freshFrom = Math.max(Date.parse(freshAt) + everyMs, enoughUntil);
  const retryFrom = Math.max(now.getTime() + retryEveryMs, enoughUntil);
  const lookAts = [
    next?.fresh && Math.max(next.fresh.getTime(), freshFrom),
    next?.retry && Math.max(next.retry.getTime() - ahead.lookMs, retryFrom),
  ].filter((at) => typeof at === 'number');
  return lookAts.length === 0 ? null : Math.min(...lookAts);
}

/**
 * @param most the count stops here
 */
export async function countInLane(
  sql: Sql,
  place: readonly string[],
  most: number,
  { releasedMs, soonMs }: Pick<Ahead, 'releasedMs' | 'soonMs'> = ON_TIME,
): Promise<InLane> {
  const params = [...place, most, releasedMs, soonMs];
  const counted = await first<InLane>(sql, COUNT_IN_LANE, params, 'count-in-lane');
  return counted ?? { ahead: 0, soon: 0, now: 0 };
}
