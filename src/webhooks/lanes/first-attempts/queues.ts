import { FAILING_AFTER } from '../../rules.ts';
import type { AttemptOutcome } from '../../signing/sender.ts';
import type { DueAttempt } from './intake.ts';

export const IN_FLIGHT_PER_ENDPOINT = 8;
/** How much of one endpoint a process keeps in memory, so that a slow one cannot fill it. */
const CAPACITY = 256;
const SLOW_CAPACITY = 16;
const SLOW_MS = 1_000;
/** Longer than it takes when the process itself is slow, and then everybody answers late. */
const SOON_MS = 4_000;

/** What is waiting and in flight for one endpoint, and how it has been answering. */
export class EndpointQueue {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly waiting: { readonly attempt: DueAttempt; readonly takenAt: number }[] = [];
  inFlight = 0;
  failuresInRow: number;
  /** The oldest revision of the endpoint under which anything here was taken. */
  revision = 0;
  /** It was full, so there may be more in the database. */
  overflowed = false;
  #newest = 0;
  #head = 0;
  #averageMs = 0;
  #silentSince = 0;
  /** What waited here was taken away once. */
  #emptied = false;

  constructor({ endpointId, organizationId, failuresInRow }: DueAttempt) {
    this.failuresInRow = failuresInRow;
    this.endpointId = endpointId;
    this.organizationId = organizationId;
  }

  get length(): number {
    return this.waiting.length - this.#head;
  }

  get idle(): boolean {
    return this.length === 0 && this.inFlight === 0;
  }

  get ready(): boolean {
    return this.length > 0 && this.inFlight < IN_FLIGHT_PER_ENDPOINT;
  }

  /** It answers slowly or, with requests in flight, not at all. */
  get slow(): boolean {
    return this.#answersInMs > SLOW_MS;
  }

  get full(): boolean {
    return this.length >= (this.slow ? SLOW_CAPACITY : CAPACITY);
  }

  /** How many of those that wait will be answered soon, as things go. */
  get soon(): number {
    const answeredInTurn = Math.ceil(SOON_MS / this.#answersInMs);
    return Math.min(this.length, answeredInTurn * IN_FLIGHT_PER_ENDPOINT);
  }

  /** Lately; while it is silent, at least as long as it has been. */
  get #answersInMs(): number {
    if (this.inFlight === 0) return this.#averageMs;
    return Math.max(this.#averageMs, performance.now() - this.#silentSince);
  }

  /**
   * Whether it was read before the endpoint was known to fail, and would now come before what went to the backlog, or
   * have to wait. One that can begin at once is a probe like those that are read later.
   */
  overtakes({ revision, failuresInRow }: DueAttempt): boolean {
    return (
      this.failuresInRow >= FAILING_AFTER &&
      failuresInRow < FAILING_AFTER &&
      revision <= this.#newest &&
      (this.#emptied || this.length > 0 || this.inFlight >= IN_FLIGHT_PER_ENDPOINT)
    );
  }

  push(attempt: DueAttempt, takenAt: number): void {
    const { revision, failuresInRow } = attempt;
    if (revision > this.#newest) this.failuresInRow = failuresInRow;
    this.#newest = Math.max(this.#newest, revision);
    this.revision = this.length === 0 ? revision : Math.min(this.revision, revision);
    this.waiting.push({ attempt, takenAt });
    if (this.full) this.overflowed = true;
  }

  shift(): { readonly attempt: DueAttempt; readonly takenAt: number } | undefined {
    const next = this.waiting[this.#head];
    if (!next) return undefined;
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.waiting.length) {
      this.waiting.splice(0, this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** Empties the queue and returns its contents. */
  clear(): DueAttempt[] {
    const left = this.waiting.slice(this.#head).map(({ attempt }) => attempt);
    if (left.length > 0) this.#emptied = true;
    this.waiting.length = 0;
    this.#head = 0;
    return left;
  }

  begun(): void {
    if (this.inFlight === 0) this.#silentSince = performance.now();
    this.inFlight += 1;
  }

  answered(outcome: AttemptOutcome): void {
    this.inFlight -= 1;
    this.#silentSince = performance.now();
    if (outcome.kind === 'delivered') this.failuresInRow = 0;
    if (outcome.kind === 'failed') this.failuresInRow += 1;
    if (outcome.kind === 'delivered' || outcome.kind === 'failed')
      this.#averageMs += (outcome.durationMs - this.#averageMs) / 8;
  }
}

/** Takes turns: first between workspaces, and within each between its endpoints. */
export class RoundRobin {
  readonly #workspaces = new Map<string, Map<string, EndpointQueue>>();

  /** Puts a queue at the end of its workspace's line, unless it is in it already. */
  add(queue: EndpointQueue): void {
    const queues = this.#workspaces.get(queue.organizationId) ?? new Map<string, EndpointQueue>();
    if (queues.size === 0) this.#workspaces.set(queue.organizationId, queues);
    queues.set(queue.endpointId, queue);
  }

  /** Removes and returns the queue whose turn it is; `may` excludes those that must wait. */
  next(may: (queue: EndpointQueue) => boolean): EndpointQueue | null {
    for (const [organizationId, queues] of this.#workspaces) {
      for (const queue of queues.values()) {
        if (!may(queue)) continue;
        queues.delete(queue.endpointId);
        this.#workspaces.delete(organizationId);
        if (queues.size > 0) this.#workspaces.set(organizationId, queues);
        return queue;
      }
    }
    return null;
  }

  remove(queue: EndpointQueue): void {
    const queues = this.#workspaces.get(queue.organizationId);
    if (!queues?.delete(queue.endpointId)) return;
    if (queues.size === 0) this.#workspaces.delete(queue.organizationId);
  }
}
