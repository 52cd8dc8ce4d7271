import type { Gone } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Line, watchLine } from './line.ts';
import { patienceOf } from './patience.ts';

interface TurnOptions {
  /** Connections of the pool. */
  readonly places: number;
  /** Of them, what one workspace has at a time at most; without it, all but the one that is kept for the others. */
  readonly share?: number;
  /** How long callers of a workspace that wait for it alone may have to wait, while more come than are served. */
  readonly waitMs: number;
  /** A turn that did not come after so long is given up. */
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

/** `share`: the own workspace has what it may have, and enough wait for it. `late`: it took too long. `gone`: nobody waits any more. */
type Reason = 'share' | 'late' | 'gone';

/** 503 of who did not get a connection, and whose share it would have been; null for nobody's. */
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
 * Hands out the connections of a pool so that a workspace with slow reports, or with callers that wait for one row,
 * does not hold all of them, nor do several of these: the last one that is free goes only to a workspace that has
 * none, and what is given back goes to whoever has fewest, and among equals to who came first.
 *
 * As a line it is that of those who wait for everybody, since all is taken and they have nothing; whoever waits for
 * the own workspace alone keeps nobody waiting.
 */
export class Turns implements Line {
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** In the order they came. */
  readonly #waiting = new Set<Waiter>();
  /** Of workspaces that have something or wait for it. */
  readonly #shares = new Map<string | null, Share>();
  readonly #line: ReturnType<typeof watchLine>;
  #free: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(options: TurnOptions, now = (): number => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#free = options.places;
    this.#line = watchLine(() => this.#open(), now);
  }

  /** All who wait. */
  get length(): number {
    return this.#waiting.size;
  }

  wait(): number {
    return this.#line.wait();
  }

  /**
   * Does `work`, which takes one connection, when it is its turn. Throws 503: at once where too many wait for the
   * same workspace, when the turn does not come in time, and when the caller goes away meanwhile.
   *
   * @param organizationId null for what is short or is shared out elsewhere
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

  /** All is taken, and it has nothing: so it waits for whoever is first to give something back. */
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

  /** How many wait for everybody. */
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

/** What is nobody's is short, and counts as if it never had any. */
const heldBy = ({ organizationId, taken }: Share): number => (organizationId === null ? 0 : taken);
