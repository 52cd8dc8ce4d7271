/** The longest acceptable wait in a queue, in milliseconds, while more requests come than can be served. */
export const WAIT_MS = { reads: 125, writes: 250 };
/** In a burst that ends within this time, a longer wait is acceptable. */
const BURST = { lastsMs: 500, waitMs: 1_500 };
/** After this long without too long a wait, the next requests may be a burst again. */
const CALM_MS = 1_000;

/** Whether a queue with this wait is too long to join, at that moment of a monotonic clock. */
type Patience = (waitMs: number, moment: number) => boolean;

/**
 * Under a continued overload, whoever joins the end of a long queue waits in vain and makes everyone else wait. So
 * newcomers are admitted while they would wait at most `limitMs`, and longer in a burst.
 */
export function patienceOf(limitMs: number): Patience {
  let longSince: number | null = null;
  let longUntil = 0;
  return (waitMs, moment) => {
    if (longSince !== null && moment - longUntil > CALM_MS) longSince = null;
    if (waitMs <= limitMs) return false;
    longSince ??= moment;
    longUntil = moment;
    return waitMs > BURST.waitMs || moment - longSince > BURST.lastsMs;
  };
}
