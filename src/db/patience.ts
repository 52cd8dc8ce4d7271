/** How long somebody may have to wait in a line, in milliseconds, while more come than can be served. */
export const WAIT_MS = { reads: 125, writes: 250 };
/** In a burst, which is over within this time, somebody may wait so long. */
const BURST = { lastsMs: 500, waitMs: 1_500 };
/** Once nobody had to wait too long for this time, the next ones may be a burst again. */
const CALM_MS = 1_000;

/** Whether a line in which one would wait `waitMs` is too long to join it, at that moment of a clock that never goes back. */
type Patience = (waitMs: number, moment: number) => boolean;

/**
 * Under a load that goes on, whoever comes at the end of a long line waits in vain and makes all others wait. So those
 * who come are let in as long as they wait at most `limitMs`, and in a burst for longer.
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
