import type { Gone } from '../context.ts';
import { unavailable } from '../errors.ts';
import { type Line, watchLine } from './line.ts';
import { patienceOf } from './patience.ts';

interface TurnOptions {
  /** Connections of the pool. */
  readonly places: number;
  /** Of them, what one workspace has at a time at most. */
  readonly share: number;
  /** How long callers of a workspace that has its share may have to wait, while more come than are served. */
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

/**
 * Hands out the connections of a pool in the order of those who come, but never more than its share to one workspace:
 * one with slow reports, or with callers that wait for one row, must not hold all of them. As a line it is that of
 * everybody else; whoever waits for the own workspace alone keeps nobody waiting.
 */
export class Turns implements Line {
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** In the order they came. While a place is free, all of them are of workspaces that have their share. */
  readonly #waiting = new Set<Waiter>();
  readonly #shares = new Map<string | null, Share>();
  /** Those that have all that they may. */
  readonly #full = new Set<Share>();
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
   * Does `work`, which takes one connection, when it is its turn. Throws 503: at once where too many wait for the share
   * of the same workspace, when the turn does not come in time, and when the caller goes away meanwhile.
   *
   * @param organizationId null for what is short or is shared out elsewhere
   * @param gone listened to only while waiting
   */
  async inTurn<T>(organizationId: string | null, work: () => Promise<T>, gone?: Gone): Promise<T> {
    const share = this.#shareOf(organizationId);
    if (this.#free > 0 && !this.#full.has(share)) this.#give(share);
    else await this.#wait(share, gone);
    try {
      return await work();
    } finally {
      this.#takeBack(share);
    }
  }

  async #wait(share: Share, gone?: Gone): Promise<void> {
    if (this.#full.has(share) && share.isTooLong(share.line.wait(), this.#now()))
      throw unavailable('This workspace sends more requests than its share. Try again shortly.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { share, begin: resolve };
    const giveUp = (): void => {
      if (!this.#waiting.delete(waiter)) return;
      share.waiting -= 1;
      this.#forget(share);
      reject(unavailable('Other requests take too long. Try again shortly.'));
    };
    this.#waiting.add(waiter);
    share.waiting += 1;
    const timer = setTimeout(giveUp, this.#options.longestMs);
    const stopListening = gone?.(giveUp);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  #give(share: Share): void {
    this.#free -= 1;
    share.taken += 1;
    if (share.taken === share.most) this.#full.add(share);
  }

  /** The place goes to the first who may have it. */
  #takeBack(share: Share): void {
    const wasFull = this.#full.delete(share);
    this.#free += 1;
    share.taken -= 1;
    const next = this.#first();
    if (next) {
      this.#waiting.delete(next);
      next.share.waiting -= 1;
      this.#give(next.share);
      next.share.line.served();
      if (next.share !== share || !wasFull) this.#line.served();
      next.begin();
    }
    this.#forget(share);
  }

  #first(): Waiter | undefined {
    for (const waiter of this.#waiting) if (!this.#full.has(waiter.share)) return waiter;
    return undefined;
  }

  /** How many wait for no one but everybody. */
  #open(): number {
    let count = this.#waiting.size;
    for (const { waiting } of this.#full) count -= waiting;
    return count;
  }

  #shareOf(organizationId: string | null): Share {
    const known = this.#shares.get(organizationId);
    if (known) return known;
    const share: Share = {
      organizationId,
      most: organizationId === null ? Number.POSITIVE_INFINITY : this.#options.share,
      taken: 0,
      waiting: 0,
      line: watchLine(() => share.waiting, this.#now),
      isTooLong: patienceOf(this.#options.waitMs),
    };
    this.#shares.set(organizationId, share);
    return share;
  }

  #forget(share: Share): void {
    if (share.taken === 0 && share.waiting === 0) this.#shares.delete(share.organizationId);
  }
}
