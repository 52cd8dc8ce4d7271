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
  /** In the order they came. */
  readonly waiting: Set<Waiter>;
  /** When it was last given one, in steps of `#step`; what is nobody's goes by who came first alone. */
  givenAt: number;
  readonly line: ReturnType<typeof watchLine>;
  readonly isTooLong: ReturnType<typeof patienceOf>;
}

interface Waiter {
  readonly cameAt: number;
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
 * none, and what is given back goes to whoever has fewest. Among equals it goes by who came first, where a workspace
 * that was given one counts as if it had come just then: so they take turns, however many there are.
 *
 * As a line it is that of those who wait for everybody, since all is taken and they have nothing; whoever waits for
 * the own workspace alone keeps nobody waiting.
 */
export class Turns implements Line {
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** Of workspaces that have something or wait for it. */
  readonly #shares = new Map<string | null, Share>();
  readonly #line: ReturnType<typeof watchLine>;
  #free: number;
  /** Counts who comes and what is given: the order of these. */
  #step = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(options: TurnOptions, now = (): number => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#free = options.places;
    this.#line = watchLine(() => this.#open(), now);
  }

  /** All who wait. */
  get length(): number {
    let count = 0;
    for (const { waiting } of this.#shares.values()) count += waiting.size;
    return count;
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
    const { organizationId, waiting } = share;
    if (!this.#waitsForAll(share) && share.isTooLong(share.line.wait(), this.#now()))
      throw new TurnRefused('share', organizationId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { cameAt: this.#nextStep(), begin: resolve };
    const giveUp = (reason: Reason): void => {
      if (!waiting.delete(waiter)) return;
      this.#forget(share);
      reject(new TurnRefused(reason, organizationId));
    };
    waiting.add(waiter);
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
    if (share.organizationId !== null) share.givenAt = this.#nextStep();
  }

  #takeBack(share: Share): void {
    const allWereTaken = this.#free === 0;
    this.#free += 1;
    share.taken -= 1;
    const next = this.#next();
    if (next) {
      const waitedForAll = allWereTaken && heldBy(next.share) === 0;
      next.share.waiting.delete(next.waiter);
      this.#give(next.share);
      next.share.line.served();
      if (waitedForAll) this.#line.served();
      next.waiter.begin();
    }
    this.#forget(share);
  }

  #next(): { readonly share: Share; readonly waiter: Waiter } | undefined {
    let best: { share: Share; waiter: Waiter; since: number } | undefined;
    for (const share of this.#shares.values()) {
      const [waiter] = share.waiting;
      if (!waiter || !this.#mayTake(share)) continue;
      const since = Math.max(waiter.cameAt, share.givenAt);
      const fewer = best ? heldBy(share) - heldBy(best.share) : -1;
      if (!best || fewer < 0 || (fewer === 0 && since < best.since))
        best = { share, waiter, since };
    }
    return best;
  }

  /** How many wait for everybody. */
  #open(): number {
    let count = 0;
    for (const share of this.#shares.values())
      if (this.#waitsForAll(share)) count += share.waiting.size;
    return count;
  }

  #nextStep(): number {
    this.#step += 1;
    return this.#step;
  }

  #shareOf(organizationId: string | null): Share {
    const known = this.#shares.get(organizationId);
    if (known) return known;
    const { places, share: most = places, waitMs } = this.#options;
    const waiting: Share['waiting'] = new Set();
    const share: Share = {
      organizationId,
      most: organizationId === null ? places : most,
      taken: 0,
      waiting,
      givenAt: 0,
      line: watchLine(() => waiting.size, this.#now),
      isTooLong: patienceOf(waitMs),
    };
    this.#shares.set(organizationId, share);
    return share;
  }

  #forget({ organizationId, taken, waiting }: Share): void {
    if (taken === 0 && waiting.size === 0) this.#shares.delete(organizationId);
  }
}

/** What is nobody's is short, and counts as if it never had any. */
const heldBy = ({ organizationId, taken }: Share): number => (organizationId === null ? 0 : taken);
