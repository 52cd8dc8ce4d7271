import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';

/** Lets requests in, or refuses them while too much is waiting already. */
export interface Gate {
  /** Throws 503 with `Retry-After`, before anything is asked of the database. */
  enter(): void;
}

/** Callers that may stand in line for the database at any time: with those at it, a fraction of a second's work. */
const LINE = 128;
/** A longer line may be a burst, which is over within this time; afterwards it is more than can be served. */
const BURST_MS = 500;
/** So many are no burst that anybody would wait for. */
const LONGEST_LINE = 1_024;
/** Once the line was short for so long, the next long one may be a burst again. */
const CALM_MS = 1_000;
const SAID_EVERY_MS = 10_000;

/**
 * Under a load that goes on, whoever comes at the end of a long line waits in vain and makes all others wait: they
 * are told at once to come later, which leaves the time to those who are in.
 *
 * @param waiting callers that stand in line for a connection to the database at this moment
 * @param now milliseconds of a clock that never goes back
 */
export function openGate(
  waiting: () => number,
  log: Pick<Log, 'warn'>,
  now = (): number => performance.now(),
): Gate {
  let longSince: number | null = null;
  let longUntil = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  let refused = 0;

  function tooLong(line: number, moment: number): boolean {
    if (line < LINE) {
      if (moment - longUntil > CALM_MS) longSince = null;
      return false;
    }
    longSince ??= moment;
    longUntil = moment;
    return line >= LONGEST_LINE || moment - longSince > BURST_MS;
  }

  return {
    enter() {
      const line = waiting();
      const moment = now();
      if (!tooLong(line, moment)) return;
      refused += 1;
      if (moment - saidAt >= SAID_EVERY_MS) {
        log.warn({ refused, waiting: line }, 'more requests come than can be served');
        saidAt = moment;
        refused = 0;
      }
      throw unavailable('More requests come than can be served. Try again shortly.');
    },
  };
}
