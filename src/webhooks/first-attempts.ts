import type { Clock } from '../db/clock.ts';
import type { DueAttempt } from './intake.ts';
import { LEASE_MS } from './intake.ts';
import { EndpointLane, Turns } from './lanes.ts';
import type { Recorder } from './recorder.ts';
import { FAILING_AFTER, isExpired } from './rules.ts';
import type { WebhookSender } from './sending.ts';

export interface FirstAttemptsParts {
  readonly sender: WebhookSender;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** There is room again; `refill` when it is an endpoint's of which deliveries may be in the database. */
  readonly onRoom: (refill: boolean) => void;
}

/** Requests in flight, all endpoints together, and how many of them slow endpoints may begin. */
const IN_FLIGHT = 256;
const SLOW_IN_FLIGHT = 64;
/** Those of endpoints that fell silent meanwhile take nobody's place, up to so many in all. */
const MOST_IN_FLIGHT = 1_024;
/** Beyond so many waiting for healthy endpoints the relay leaves facts in the queue for a moment. */
const ENOUGH_WAITING = 2_000;
const REFILL_BELOW = 64;
/** An attempt takes up to 11 s; one that could outlive its lease is not begun. */
const LATEST_START_MS = LEASE_MS - 14_000;

/**
 * Lane 1: first attempts, and what backlogs release, made by the process that took them, without a
 * workflow. At most 8 in flight for an endpoint; workspaces and endpoints take turns; slow endpoints
 * share a part of the room.
 */
export class FirstAttempts {
  readonly #parts: FirstAttemptsParts;
  readonly #lanes = new Map<string, EndpointLane>();
  readonly #turns = new Turns();
  readonly #held = new Set<string>();
  #inFlight = 0;
  #slowInFlight = 0;
  #stopped = false;
  #idle: (() => void) | null = null;

  constructor(parts: FirstAttemptsParts) {
    this.#parts = parts;
    parts.recorder.onCaughtUp(() => this.#pump());
  }

  /** Endpoints that this process has enough of. */
  get full(): string[] {
    return [...this.#lanes.values()].filter((lane) => lane.full).map((lane) => lane.endpointId);
  }

  /** Endpoints that answer slowly, full or not. */
  get slow(): string[] {
    return [...this.#lanes.values()].filter((lane) => lane.slow).map((lane) => lane.endpointId);
  }

  /** More is waiting for healthy endpoints than is worth keeping in memory. */
  get busy(): boolean {
    let waiting = 0;
    for (const lane of this.#lanes.values()) if (!lane.slow && !lane.full) waiting += lane.queued;
    return waiting >= ENOUGH_WAITING || this.#parts.recorder.behind;
  }

  get waiting(): number {
    return this.#held.size - this.#inFlight;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Endpoints that something waits for here, and as of which change. */
  get revisions(): Map<string, number> {
    return new Map([...this.#lanes.values()].map((lane) => [lane.endpointId, lane.revision]));
  }

  /** @param takenAt by the monotonic clock, before they were leased */
  take(attempts: readonly DueAttempt[], takenAt = performance.now()): void {
    for (const attempt of attempts) {
      if (this.#held.has(attempt.id)) continue;
      this.#held.add(attempt.id);
      const lane = this.#laneOf(attempt);
      lane.push(attempt, takenAt);
      if (lane.ready) this.#turns.add(lane);
    }
    this.#pump();
  }

  /** Gives back what waits for endpoints that were changed: their rows say what they are now. */
  drop(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      const lane = this.#lanes.get(id);
      if (lane) this.#parts.recorder.release(this.#empty(lane), 0);
    }
  }

  #empty(lane: EndpointLane): DueAttempt[] {
    const left = lane.clear();
    for (const attempt of left) this.#held.delete(attempt.id);
    this.#turns.remove(lane);
    if (lane.idle) this.#lanes.delete(lane.endpointId);
    return left;
  }

  /** Lets what is in flight end and gives the rest back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.drop([...this.#lanes.keys()]);
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #laneOf(attempt: DueAttempt): EndpointLane {
    const known = this.#lanes.get(attempt.endpointId);
    const lane = known ?? new EndpointLane(attempt);
    if (!known) this.#lanes.set(attempt.endpointId, lane);
    return lane;
  }

  #pump(): void {
    while (!this.#stopped && this.#hasRoom && !this.#parts.recorder.behind) {
      const lane = this.#turns.next(
        (candidate) => !candidate.slow || this.#slowInFlight < SLOW_IN_FLIGHT,
      );
      if (!lane) return;
      const next = lane.shift();
      if (next) this.#begin(lane, next.attempt, next.takenAt);
      if (lane.ready) this.#turns.add(lane);
      else if (lane.idle) this.#lanes.delete(lane.endpointId);
    }
  }

  get #hasRoom(): boolean {
    if (this.#inFlight < IN_FLIGHT) return true;
    let silent = 0;
    for (const lane of this.#lanes.values()) if (lane.slow) silent += lane.inFlight;
    return this.#inFlight < MOST_IN_FLIGHT && this.#inFlight - silent < IN_FLIGHT;
  }

  #begin(lane: EndpointLane, attempt: DueAttempt, takenAt: number): void {
    if (performance.now() - takenAt > LATEST_START_MS) {
      this.#held.delete(attempt.id);
      this.#parts.recorder.release([attempt], 0);
      return;
    }
    const startedAt = this.#parts.clock.now();
    if (isExpired(attempt.firstAttemptAt, startedAt)) {
      // Our outage took its time; the backlog's drain ends it without a late attempt.
      this.#held.delete(attempt.id);
      this.#parts.recorder.park([attempt]);
      return;
    }
    const { slow } = lane;
    lane.begun();
    this.#inFlight += 1;
    if (slow) this.#slowInFlight += 1;
    void this.#parts.sender.attempt(attempt, startedAt).then((outcome) => {
      this.#inFlight -= 1;
      if (slow) this.#slowInFlight -= 1;
      this.#held.delete(attempt.id);
      // Retries fail elsewhere: what was read with the attempt counts too.
      const failuresBefore = Math.max(lane.failuresInRow, attempt.failuresInRow);
      lane.answered(outcome);
      this.#parts.recorder.settle(attempt, outcome, { startedAt, failuresBefore });
      this.#leave(lane);
      this.#pump();
    });
  }

  #leave(lane: EndpointLane): void {
    // Its next deliveries go to its backlog; what waits here goes there too.
    if (lane.failuresInRow === FAILING_AFTER) this.#parts.recorder.park(this.#empty(lane));
    if (lane.ready) this.#turns.add(lane);
    else if (lane.idle) this.#lanes.delete(lane.endpointId);
    if (lane.queued < REFILL_BELOW) {
      this.#parts.onRoom(lane.overflowed);
      lane.overflowed = false;
    }
    if (this.#inFlight === 0) this.#idle?.();
  }
}
