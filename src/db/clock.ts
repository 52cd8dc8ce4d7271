import type pg from 'pg';
import { correctIds } from '../ids.ts';

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

/** The database's clock, derived from an offset that is measured every 10 seconds. Ids are made by it too. */
export async function databaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let skewMs = await measure(pool);
  correctIds(skewMs);
  const timer = setInterval(() => {
    measure(pool).then(
      (value) => {
        skewMs = value;
        correctIds(value);
      },
      // If the database is down, the last offset stays in use, and /readyz reports it.
      () => {},
    );
  }, MEASURE_EVERY_MS);
  timer.unref();
  return {
    now: () => new Date(Date.now() + Math.round(skewMs)),
    get skewMs() {
      return skewMs;
    },
    stop: () => clearInterval(timer),
  };
}

async function measure(pool: pg.Pool): Promise<number> {
  const asked = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const answered = Date.now();
  const now = rows[0]?.now.getTime() ?? answered;
  const skew = now - (asked + answered) / 2;
  // A difference smaller than the round trip cannot be told apart from zero.
  return Math.abs(skew) <= (answered - asked) / 2 + 1 ? 0 : skew;
}
