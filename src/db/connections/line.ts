/** A queue for something handed out to one after another. */
export interface Line {
  readonly length: number;
  /**
   * How long a newcomer would have to wait, in milliseconds: the queue's length at its recent pace, and at least as
   * long as no one has been served. 0 if there is no queue.
   */
  wait(): number;
}

/** The weight of the last turn in the mean pace. */
const WEIGHT = 1 / 16;
/** A turn that was blocked for longer says little about the next one. */
const LONGEST_MS = 1_000;

/**
 * Observes a queue that reports each time someone is `served`.
 *
 * @param lengthNow how many are waiting, without those served
 * @param now milliseconds of a monotonic clock
 */
export function watchLine(
  lengthNow: () => number,
  now: () => number,
): Line & { readonly served: () => void } {
  let meanMs = 0;
  /** Since when the first in the queue has been first; null if no one was seen waiting. */
  let standingSince: number | null = null;

  return {
    get length() {
      return lengthNow();
    },
    wait() {
      const length = lengthNow();
      if (length === 0) {
        standingSince = null;
        return 0;
      }
      const moment = now();
      standingSince ??= moment;
      return Math.max(length * meanMs, moment - standingSince);
    },
    served() {
      const moment = now();
      if (standingSince !== null) {
        const ms = Math.min(moment - standingSince, LONGEST_MS);
        meanMs += (ms - meanMs) * WEIGHT;
      }
      standingSince = lengthNow() > 0 ? moment : null;
    },
  };
}
