import { drainPace, FAILING_AFTER } from '../../rules.ts';
import type { DueAttempt } from './intake.ts';

interface Window {
  readonly until: number;
  left: number;
}

export interface Admitted {
  readonly probes: readonly DueAttempt[];
  /** More than their endpoints get at the moment: these go to the backlogs. */
  readonly rest: readonly DueAttempt[];
}

/**
 * New deliveries of a failing endpoint are attempted at once, as few at a time as its backlog would release: storing
 * and fetching them would cost ten times the request, and the first success is known sooner.
 */
export class Probes {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  /**
   * @param now milliseconds of a monotonic clock
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Failing endpoints that have had their probes. */
  get resting(): string[] {
    const now = this.#now();
    for (const [id, window] of this.#windows) if (window.until <= now) this.#windows.delete(id);
    return [...this.#windows].filter(([, { left }]) => left === 0).map(([id]) => id);
  }

  admit(attempts: readonly DueAttempt[]): Admitted {
    const { probes = [], rest = [] } = Object.groupBy(attempts, (attempt) =>
      this.#mayBegin(attempt) ? 'probes' : 'rest',
    );
    return { probes, rest };
  }

  #mayBegin({ endpointId, failuresInRow }: DueAttempt): boolean {
    if (failuresInRow < FAILING_AFTER) return true;
    const now = this.#now();
    let window = this.#windows.get(endpointId);
    if (!window || window.until <= now) {
      const { fresh, everyMs } = drainPace(failuresInRow);
      window = { until: now + everyMs, left: fresh };
      this.#windows.set(endpointId, window);
    }
    if (window.left === 0) return false;
    window.left -= 1;
    return true;
  }
}
