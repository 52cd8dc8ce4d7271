import type { Gone } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type Line, watchLine } from './line.ts';
import { patienceOf } from './patience.ts';

interface TurnOptions {
  /** Connections of the pool. */
  readonly places: number;
  /** How many of them one workspace may have at a time; by default all except the one kept for the others. */
  readonly share?: number;
  /**
   * The longest acceptable wait for callers that only wait for their own workspace, while more come than can be
   * served.
   */
  readonly waitMs: number;
  /** A caller that has waited this long is refused. */
  readonly longestMs: number;
}

/** What one workspace has of a pool. */
interface Share {
  readonly organizationId: string | null;
  readonly most: number;
  taken: number;
  waiting: number;
  readonly line: ReturnType<typeof watchLine>;
  readonly isTooLong: ReturnType<typeof patienceOf>;
}

interface Waiter {
  readonly share: Share;
  readonly begin: () => void;
}

/**
 * `share`: the workspace uses its whole share, and enough of its callers are waiting. `late`: it took too long.
 * `gone`: the caller has disconnected.
 */
type Reason = 'share' | 'late' | 'gone';

/** 503 for a caller that got no connection, with the workspace whose share it would have used; null for none. */
export class TurnRefused extends AppError {
  readonly reason: Reason;
  readonly organizationId: string | null;

  constructor(reason: Reason, organizationId: string | null) {
    const what =
      reason === 'share'
        ? 'This workspace sends more requests than its share.'
        : 'Other requests take too long.';
    super('unavailable', `${what} Try again shortly.`);
    this.reason = reason;
    this.organizationId = organizationId;
  }
}

/**
 * Hands out the connections of a pool. A workspace with slow reports, or with callers that wait for one row, cannot
 * hold all of them, nor can several such workspaces: the last free connection goes only to a workspace that has none,
 * and a returned one goes to the workspace with the fewest, among equals to whoever came first. Seen as a `Line`, it
 * consists of the callers that wait for other workspaces, because every connection is taken and theirs has none.
 * Callers that only wait for their own workspace delay no one else.
 */
export class Turns implements Line {
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  /** Workspaces that have a connection or wait for one. */
  readonly #shares = new Map<string | null, Share>();
  readonly #line: ReturnType<typeof watchLine>;
  #free: number;

  /**
   * @param now milliseconds of a monotonic clock
   */
  constructor(options: TurnOptions, now = (): number => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#free = options.places;
    this.#line = watchLine(() => this.#open(), now);
  }

  /** How many are waiting. */
  get length(): number {
    return this.#waiting.size;
  }

  wait(): number {
    return this.#line.wait();
  }

  /**
   * Runs `work`, which uses one connection, when it is its turn. Throws 503: at once if too many wait for the same
   * workspace, if the turn does not come in time, and if the caller disconnects meanwhile.
   *
   * @param organizationId null for work that is short, or is limited elsewhere
   * @param gone listened to only while waiting
   */
  async inTurn<T>(organizationId: string | null, work: () => Promise<T>, gone?: Gone): Promise<T> {
    const share = this.#shareOf(organizationId);
    if (this.#mayTake(share)) this.#give(share);
    else await this.#wait(share, gone);
    try {
      return await work();
    } finally {
      this.#takeBack(share);
    }
  }

  async #wait(share: Share, gone?: Gone): Promise<void> {
    if (!this.#waitsForAll(share) && share.isTooLong(share.line.wait(), this.#now()))
      throw new TurnRefused('share', share.organizationId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { share, begin: resolve };
    const giveUp = (reason: Reason): void => {
      if (!this.#waiting.delete(waiter)) return;
      share.waiting -= 1;
      this.#forget(share);
      reject(new TurnRefused(reason, share.organizationId));
    };
    this.#waiting.add(waiter);
    share.waiting += 1;
    const timer = setTimeout(giveUp, this.#options.longestMs, 'late');
    const stopListening = gone?.(() => giveUp('gone'));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  #mayTake(share: Share): boolean {
    if (this.#free === 0 || share.taken >= share.most) return false;
    return this.#free > 1 || heldBy(share) === 0;
  }

  /** Every connection is taken and the workspace has none, so it waits for any of them to be returned. */
  #waitsForAll(share: Share): boolean {
    return this.#free === 0 && heldBy(share) === 0;
  }

  #give(share: Share): void {
    this.#free -= 1;
    share.taken += 1;
  }

  #takeBack(share: Share): void {
    const allWereTaken = this.#free === 0;
    this.#free += 1;
    share.taken -= 1;
    const next = this.#next();
    if (next) {
      const waitedForAll = allWereTaken && heldBy(next.share) === 0;
      this.#waiting.delete(next);
      next.share.waiting -= 1;
      this.#give(next.share);
      next.share.line.served();
      if (waitedForAll) this.#line.served();
      next.begin();
    }
    this.#forget(share);
  }

  #next(): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of this.#waiting) {
      const { share } = waiter;
      if (this.#mayTake(share) && (!best || heldBy(share) < heldBy(best.share))) best = waiter;
    }
    return best;
  }

  /** How many wait for other workspaces to return a connection. */
  #open(): number {
    let count = 0;
    for (const share of this.#shares.values()) if (this.#waitsForAll(share)) count += share.waiting;
    return count;
  }

  #shareOf(organizationId: string | null): Share {
    const known = this.#shares.get(organizationId);
    if (known) return known;
    const { places, share: most = places, waitMs } = this.#options;
    const share: Share = {
      organizationId,
      most: organizationId === null ? places : most,
      taken: 0,
      waiting: 0,
      line: watchLine(() => share.waiting, this.#now),
      isTooLong: patienceOf(waitMs),
    };
    this.#shares.set(organizationId, share);
    return share;
  }

  #forget({ organizationId, taken, waiting }: Share): void {
    if (taken === 0 && waiting === 0) this.#shares.delete(organizationId);
  }
}

/** Work that belongs to no workspace is short, and counts as if it never had a connection. */
const heldBy = ({ organizationId, taken }: Share): number => (organizationId === null ? 0 : taken);
