import type { Clock } from '../../../db/clock.ts';
import { type Database, sqlOver } from '../../../db/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { faultPoint } from '../../../fault-points.ts';
import type { Log } from '../../../log.ts';
import type { Backoff } from '../../rules.ts';
import type { AttemptOutcome } from '../../signing/sender.ts';
import { type Parked, startFreeDrains } from '../backlog/drains.ts';
import { resultOf } from '../outcomes.ts';
import type { DueAttempt } from './intake.ts';
import { Postponed } from './postponed.ts';
import {
  combined,
  NOTHING_RECORDED,
  parkDeliveries,
  type Recorded,
  type Result,
  recordOfDay,
  recordStreaks,
  releaseDeliveries,
  type Streak,
} from './recording.ts';

export interface RecorderParts {
  readonly database: Pick<Database, 'system'>;
  readonly token: string;
  readonly clock: Pick<Clock, 'skips'>;
  readonly backoff: Backoff;
  readonly log: Log;
  /** Commands were recorded, so the relay has work. */
  readonly onCommands: () => void;
  readonly onFirst: (status: string) => void;
}

export interface Settling {
  readonly startedAt: Date;
  /** The endpoint's failures in a row before this attempt. */
  readonly failuresBefore: number;
}

interface Release {
  readonly id: string;
  readonly day: string;
  readonly delayMs: number;
}

const EVERY_MS = 200;
const BATCH = 200;
/** This much unrecorded means that the database is down: no more attempts until it is back. */
const BEHIND = 2_000;
const AGAIN_AFTER_MS = 500;
const INFRASTRUCTURE_DELAY_MS = 5_000;
const POISON_DELAY_MS = 1_000;

/** Records attempts in batches, and keeps them through an outage of the database. */
export class Recorder {
  readonly #parts: RecorderParts;
  #results: Result[] = [];
  #streaks = new Map<string, Streak>();
  #releases: Release[] = [];
  #parks: DueAttempt[] = [];
  #drains: Parked[] = [];
  readonly #postponed: Postponed;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> | null = null;
  #failing = false;
  #caughtUp: () => void = () => {};

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#postponed = new Postponed(parts.log);
  }

  /** Then nothing more is started or taken, because an attempt that cannot be recorded would be made again. */
  get behind(): boolean {
    return this.#failing || this.#results.length >= BEHIND;
  }

  get #waiting(): boolean {
    const more = this.#releases.length + this.#drains.length + this.#streaks.size;
    return this.#results.length + more > 0;
  }

  onCaughtUp(callback: () => void): void {
    this.#caughtUp = callback;
  }

  settle(attempt: DueAttempt, outcome: AttemptOutcome, settling: Settling): void {
    if (outcome.kind === 'infrastructure') {
      this.#postpone(attempt, INFRASTRUCTURE_DELAY_MS, outcome.message);
      return;
    }
    if (outcome.kind === 'poison' && this.#postponed.mayRecover(attempt)) {
      this.#postpone(attempt, POISON_DELAY_MS, outcome.message);
      return;
    }
    this.#postponed.attempted(attempt);
    const result = resultOf(attempt, outcome, settling.startedAt, this.#parts.backoff);
    this.#results.push(result);
    // Retries of endpoints that are down are made here too, and say nothing new about them.
    if (attempt.roundAttempts === 0) this.#parts.onFirst(result.status);
    this.#noteStreak(attempt.endpointId, result.status, settling.failuresBefore);
    this.#schedule();
  }

  /** Returns deliveries that were not attempted. */
  release(attempts: readonly DueAttempt[], delayMs: number): void {
    if (attempts.length === 0) return;
    for (const { id, day } of attempts) this.#releases.push({ id, day, delayMs });
    this.#schedule();
  }

  /** Puts deliveries into their endpoints' backlogs. */
  park(attempts: readonly DueAttempt[]): void {
    this.#parks.push(...attempts);
    this.drain(attempts.map(({ endpointId }) => endpointId));
  }

  /** Has the backlogs of these endpoints drained, which got something. */
  drain(endpointIds: readonly string[]): void {
    if (endpointIds.length === 0) return;
    this.#drains.push(...endpointIds.map(dueNow));
    this.#schedule();
  }

  /** Records everything there is; gives up after a while if the database stays down. */
  async stop(): Promise<void> {
    const until = Date.now() + 5_000;
    while (Date.now() < until) {
      await (this.#flushing ?? this.#flush());
      if (!this.#waiting) break;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    if (this.#timer) clearTimeout(this.#timer);
  }

  #postpone(attempt: DueAttempt, delayMs: number, reason: string): void {
    this.#postponed.say(attempt, reason);
    this.release([attempt], delayMs);
  }

  #noteStreak(endpointId: string, status: string, failuresBefore: number): void {
    const known = this.#streaks.get(endpointId);
    if (status === 'retrying' || status === 'failed') {
      const { reset = false, failures = 0 } = known ?? {};
      this.#streaks.set(endpointId, { endpointId, reset, failures: failures + 1 });
    }
    if (status === 'succeeded' && (known || failuresBefore > 0))
      this.#streaks.set(endpointId, { endpointId, reset: true, failures: 0 });
  }

  #schedule(): void {
    if (this.#flushing || (this.#timer && this.#results.length < BATCH)) return;
    if (this.#timer) clearTimeout(this.#timer);
    const delay = this.#results.length < BATCH ? EVERY_MS : 0;
    this.#timer = setTimeout(() => void this.#flush(), delay);
  }

  #flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#write().finally(() => {
      this.#flushing = null;
      if (this.#waiting) this.#schedule();
    });
    return this.#flushing;
  }

  async #write(): Promise<void> {
    const results = this.#results.splice(0, BEHIND);
    const streaks = this.#streaks;
    const releases = this.#releases;
    const parks = this.#parks;
    const drains = this.#drains;
    this.#streaks = new Map();
    this.#releases = [];
    this.#parks = [];
    this.#drains = [];
    faultPoint('before-record');
    const { log, onCommands } = this.#parts;
    const sql = sqlOver(this.#parts.database.system);
    try {
      // First, because what leaves the lane makes room for the retries that wait there.
      await parkDeliveries(sql, this.#parts.token, parks);
      const { started, parked } = await this.#record(sql, results);
      const uncounted = await recordStreaks(sql, [...streaks.values()]);
      streaks.clear();
      this.#countLater(uncounted);
      await this.#giveBack(sql, releases);
      const drained = await startFreeDrains(sql, [...parked, ...drains]);
      this.#drains.push(...drained.left);
      this.#failing = false;
      if (started + drained.started > 0) onCommands();
      this.#caughtUp();
    } catch (error) {
      // What was recorded before the error is excluded by its missing lease, so recording again is safe.
      if (!this.#failing) log.warn({ err: error }, 'attempts could not be recorded yet');
      this.#failing = true;
      this.#countLater(streaks.values());
      this.#results.unshift(...results);
      this.#releases.unshift(...releases);
      this.#parks.unshift(...parks);
      this.#drains.unshift(...drains);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }

  #countLater(streaks: Iterable<Streak>): void {
    for (const streak of streaks) {
      const { endpointId } = streak;
      this.#streaks.set(endpointId, onwards(streak, this.#streaks.get(endpointId)));
    }
  }

  async #record(sql: Sql, results: readonly Result[]): Promise<Recorded> {
    const { token, log, clock } = this.#parts;
    const context = { sql, token, laneWaits: !clock.skips };
    let all = NOTHING_RECORDED;
    for (const [day, ofDay] of Map.groupBy(results, (result) => result.day)) {
      const recorded = await recordOfDay(context, day, ofDay, (delivery, err) =>
        log.error({ delivery, err }, 'what came of an attempt cannot be kept whole'),
      );
      all = combined(all, recorded);
      faultPoint('after-attempt-record');
    }
    return all;
  }

  async #giveBack(sql: Sql, releases: readonly Release[]): Promise<void> {
    for (const [delayMs, some] of Map.groupBy(releases, (release) => release.delayMs))
      await releaseDeliveries(sql, this.#parts.token, some, delayMs);
  }
}

/** A streak with what came after it. */
const onwards = (streak: Streak, later: Streak | undefined): Streak =>
  later?.reset ? later : { ...streak, failures: streak.failures + (later?.failures ?? 0) };

const dueNow = (endpointId: string): Parked => ({ endpointId, due: null });
