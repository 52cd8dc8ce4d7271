import type pg from 'pg';
import { makeIdsBy } from '../ids.ts';

/** Business time. Rules and services get it from their context. */
export interface Clock {
  now(): Date;
  /**
   * The difference between this machine's clock and the database's, in milliseconds; positive if this machine is
   * behind.
   */
  readonly skewMs: number;
  /** Time is skipped here, but not in PostgreSQL, so rows must not wait for a time of their own. For tests only. */
  readonly skips?: true;
}

/** Measures periodically until it is stopped. */
export interface DatabaseClock extends Clock {
  stop(): void;
}

const MEASURE_EVERY_MS = 10_000;

/** Unix milliseconds by the monotonic clock, which nobody sets: only this process's beginning is read from the wall clock. */
const elapsed = (): number => performance.timeOrigin + performance.now();

/**
 * The database's clock, by an offset that is measured every 10 seconds. Between two measures time passes by the
 * monotonic clock: when this machine's clock is set, nothing becomes due or overdue by it. Ids are made by it too.
 */
export async function databaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let offsetMs = 0;
  const now = (): number => Math.round(elapsed() + offsetMs);
  const measure = async (): Promise<void> => {
    const asked = elapsed();
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
    const answered = elapsed();
    const told = rows[0]?.now.getTime() ?? answered;
    offsetMs = corrected(offsetMs, { asked, told, answered });
    makeIdsBy(now);
  };
  await measure();
  // If the database is down, the last offset stays in use, and /readyz reports it.
  const timer = setInterval(() => void measure().catch(() => {}), MEASURE_EVERY_MS);
  timer.unref();
  return {
    now: () => new Date(now()),
    get skewMs() {
      return now() - Date.now();
    },
    stop: () => clearInterval(timer),
  };
}

/** When the database was asked for its time, and answered, by this machine's, and what it told. Unix milliseconds. */
export interface Told {
  readonly asked: number;
  readonly told: number;
  readonly answered: number;
}

/**
 * The offset after an answer. Its exact moment is unknown by the round trip, so it moves no further than that forces
 * it to: one answer that was long in coming says little, and must not turn the clock.
 */
export function corrected(offsetMs: number, { asked, told, answered }: Told): number {
  const seen = told - (asked + answered) / 2;
  const unknown = (answered - asked) / 2 + 1;
  return Math.min(Math.max(offsetMs, seen - unknown), seen + unknown);
}
