/** Those who wait for something that is handed out, one after the other. */
export interface Line {
  readonly length: number;
  /**
   * How long somebody who came now would wait, in milliseconds: the line at the pace at which it went on of late, and
   * at least as long as nobody's turn came. 0 where there is no line.
   */
  wait(): number;
}

/** Of the mean pace that the last turn makes up. */
const WEIGHT = 1 / 16;
/** One that was locked up for a while says little of the next one. */
const LONGEST_MS = 1_000;

/**
 * Watches a line, which tells each time that somebody was `served`.
 *
 * @param lengthNow how many wait; whoever was served does not any more
 * @param now milliseconds of a clock that never goes back
 */
export function watchLine(
  lengthNow: () => number,
  now: () => number,
): Line & { readonly served: () => void } {
  let meanMs = 0;
  /** Since when the first in line is the first; null where nobody was seen to wait. */
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
