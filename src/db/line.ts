import type pg from 'pg';

/** Those who wait for a connection of a pool. */
export interface Line {
  readonly length: number;
  /**
   * How long somebody who came now would wait, in milliseconds: the line at the pace at which connections were handed
   * out of late, and at least as long as nobody was given one. 0 where there is no line.
   */
  wait(): number;
}

/** Of the mean pace that the last connection makes up. */
const WEIGHT = 1 / 16;
/** One that was locked up for a while says little of the next one. */
const LONGEST_MS = 1_000;

/**
 * Watches the line of a pool.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function lineOf(
  pool: Pick<pg.Pool, 'waitingCount' | 'on'>,
  now = (): number => performance.now(),
): Line {
  let meanMs = 0;
  /** Since when the first in line is the first; null where nobody was seen to wait. */
  let standingSince: number | null = null;

  pool.on('acquire', () => {
    const moment = now();
    if (standingSince !== null) {
      const ms = Math.min(moment - standingSince, LONGEST_MS);
      meanMs += (ms - meanMs) * WEIGHT;
    }
    standingSince = pool.waitingCount > 0 ? moment : null;
  });

  return {
    get length() {
      return pool.waitingCount;
    },
    wait() {
      if (pool.waitingCount === 0) {
        standingSince = null;
        return 0;
      }
      const moment = now();
      standingSince ??= moment;
      return Math.max(pool.waitingCount * meanMs, moment - standingSince);
    },
  };
}
