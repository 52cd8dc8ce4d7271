import type pg from 'pg';

/** Business time. Rules and services get it from their context. */
export interface Clock {
  now(): Date;
  /** How far this machine's clock is from the database's, in milliseconds; positive when it is behind. */
  readonly skewMs: number;
  /** Time is skipped here, and PostgreSQL's clock is not: no row may wait for a time of its own. Tests only. */
  readonly skips?: true;
}

/** Measures by itself until it is stopped. */
export interface DatabaseClock extends Clock {
  stop(): void;
}

const MEASURE_EVERY_MS = 10_000;

/** The database's clock, kept by an offset that is measured again every 10 seconds. */
export async function databaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let skewMs = await measure(pool);
  const timer = setInterval(() => {
    measure(pool).then(
      (value) => {
        skewMs = value;
      },
      // The database is away: the last offset stands, and /readyz says so.
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
  // Within the round trip nothing can be told apart from zero.
  return Math.abs(skew) <= (answered - asked) / 2 + 1 ? 0 : skew;
}
