import type { Clock } from '../../../db/clock.ts';
import { FAILING_AFTER, isExpired } from '../../rules.ts';
import type { WebhookSender } from '../../signing/sender.ts';
import type { DueAttempt } from './intake.ts';
import { LEASE_MS } from './intake.ts';
import { EndpointQueue, RoundRobin } from './queues.ts';
import type { Recorder } from './recorder.ts';

export interface AttemptsParts {
  readonly sender: WebhookSender;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** There is room again; `refill` if the endpoint may have more deliveries in the database. */
  readonly onRoom: (refill: boolean) => void;
}

/** Requests in flight over all endpoints, and how many of them may be started for slow endpoints. */
const IN_FLIGHT = 256;
const SLOW_IN_FLIGHT = 512;
/** Requests to endpoints that have fallen silent do not count towards the limit, up to this total. */
const MOST_IN_FLIGHT = 1_024;
/** With more than this answered soon by healthy endpoints, the relay leaves facts in the queue for a moment. */
const ENOUGH_WAITING = 2_000;
const REFILL_BELOW = 64;
const LOOK_AGAIN_MS = 500;
/** An attempt takes up to 11 s; one that could outlast its lease is not started. */
const LATEST_START_MS = LEASE_MS - 14_000;

/**
 * Lane 1: first attempts, and everything that backlogs release, made without a workflow by the process that took
 * them. At most 8 in flight per endpoint; workspaces and endpoints take turns; slow endpoints share a part of the
 * capacity.
 */
export class Attempts {
  readonly #parts: AttemptsParts;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #turns = new RoundRobin();
  readonly #inHand = new Set<string>();
  #inFlight = 0;
  #slowInFlight = 0;
  #stopped = false;
  #again: NodeJS.Timeout | null = null;
  #idle: (() => void) | null = null;

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
    parts.recorder.onCaughtUp(() => this.#pump());
  }

  /** Endpoints of which this process has taken enough. */
  get full(): string[] {
    return [...this.#queues.values()]
      .filter((queue) => queue.full)
      .map((queue) => queue.endpointId);
  }

  /** Endpoints that answer slowly, full or not. */
  get slow(): string[] {
    return [...this.#queues.values()]
      .filter((queue) => queue.slow)
      .map((queue) => queue.endpointId);
  }

  /**
   * Whether more is waiting for healthy endpoints than is worth keeping in memory. What one that is nearly slow will not
   * get to soon is no reason to leave what others could have at once.
   */
  get busy(): boolean {
    let soon = 0;
    for (const queue of this.#queues.values()) if (!queue.slow && !queue.full) soon += queue.soon;
    return soon >= ENOUGH_WAITING || this.#parts.recorder.behind;
  }

  get waiting(): number {
    return this.#inHand.size - this.#inFlight;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Endpoints with something waiting here, and the revision under which it was taken. */
  get revisions(): Map<string, number> {
    return new Map([...this.#queues.values()].map((queue) => [queue.endpointId, queue.revision]));
  }

  /**
   * @param takenAt by the monotonic clock, before they were leased
   */
  take(attempts: readonly DueAttempt[], takenAt = performance.now()): void {
    const overtaken: DueAttempt[] = [];
    for (const attempt of attempts) {
      if (this.#inHand.has(attempt.id)) continue;
      const queue = this.#queueOf(attempt);
      if (queue.overtakes(attempt)) {
        overtaken.push(attempt);
        continue;
      }
      this.#inHand.add(attempt.id);
      queue.push(attempt, takenAt);
      if (queue.ready) this.#turns.add(queue);
    }
    // They go where the rest of the endpoint's waiting deliveries went.
    this.#parts.recorder.park(overtaken);
    this.#pump();
  }

  /** Returns what waits for changed endpoints, because their rows now say something else. */
  drop(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      const queue = this.#queues.get(id);
      if (queue) this.#parts.recorder.release(this.#empty(queue), 0);
    }
  }

  #empty(queue: EndpointQueue): DueAttempt[] {
    const left = queue.clear();
    for (const attempt of left) this.#inHand.delete(attempt.id);
    this.#turns.remove(queue);
    if (queue.idle) this.#queues.delete(queue.endpointId);
    return left;
  }

  /** Lets what is in flight finish and returns the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#again) clearTimeout(this.#again);
    this.drop([...this.#queues.keys()]);
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #queueOf(attempt: DueAttempt): EndpointQueue {
    const known = this.#queues.get(attempt.endpointId);
    const queue = known ?? new EndpointQueue(attempt);
    if (!known) this.#queues.set(attempt.endpointId, queue);
    return queue;
  }

  #pump(): void {
    while (!this.#stopped && this.#hasRoom && !this.#parts.recorder.behind) {
      const queue = this.#turns.next(
        (candidate) => !candidate.slow || this.#slowInFlight < SLOW_IN_FLIGHT,
      );
      if (!queue) return;
      const next = queue.shift();
      if (next) this.#begin(queue, next.attempt, next.takenAt);
      if (queue.ready) this.#turns.add(queue);
      else if (queue.idle) this.#queues.delete(queue.endpointId);
    }
    this.#lookAgain();
  }

  /** Silence of an endpoint makes room for others without any event, so a timer checks. */
  #lookAgain(): void {
    if (this.#stopped || this.#again || this.waiting === 0) return;
    this.#again = setTimeout(() => {
      this.#again = null;
      this.#pump();
    }, LOOK_AGAIN_MS).unref();
  }

  get #hasRoom(): boolean {
    if (this.#inFlight < IN_FLIGHT) return true;
    let silent = 0;
    for (const queue of this.#queues.values()) if (queue.slow) silent += queue.inFlight;
    return this.#inFlight < MOST_IN_FLIGHT && this.#inFlight - silent < IN_FLIGHT;
  }

  #begin(queue: EndpointQueue, attempt: DueAttempt, takenAt: number): void {
    if (performance.now() - takenAt > LATEST_START_MS) {
      this.#inHand.delete(attempt.id);
      this.#parts.recorder.release([attempt], 0);
      return;
    }
    const startedAt = this.#parts.clock.now();
    if (isExpired(attempt.firstAttemptAt, startedAt)) {
      // An outage of ours took too long; the drain of the backlog ends the delivery without a late attempt.
      this.#inHand.delete(attempt.id);
      this.#parts.recorder.park([attempt]);
      return;
    }
    const { slow } = queue;
    queue.begun();
    this.#inFlight += 1;
    if (slow) this.#slowInFlight += 1;
    void this.#parts.sender.attempt(attempt, startedAt).then((outcome) => {
      this.#inFlight -= 1;
      if (slow) this.#slowInFlight -= 1;
      this.#inHand.delete(attempt.id);
      // Retries fail elsewhere too, so the count read with the attempt is also considered.
      const failuresBefore = Math.max(queue.failuresInRow, attempt.failuresInRow);
      queue.answered(outcome);
      this.#parts.recorder.settle(attempt, outcome, { startedAt, failuresBefore });
      this.#leave(queue);
      this.#pump();
    });
  }

  #leave(queue: EndpointQueue): void {
    // The endpoint's next deliveries go to its backlog, and what waits here goes there too.
    if (queue.failuresInRow === FAILING_AFTER) this.#parts.recorder.park(this.#empty(queue));
    if (queue.ready) this.#turns.add(queue);
    else if (queue.idle) this.#queues.delete(queue.endpointId);
    if (queue.length < REFILL_BELOW) {
      this.#parts.onRoom(queue.overflowed);
      queue.overflowed = false;
    }
    if (this.#inFlight === 0) this.#idle?.();
  }
}
