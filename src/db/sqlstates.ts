/** Codes of PostgreSQL on which the service acts; those it answers with stand in `http/failures.ts`. */
export const DEADLOCK = '40P01';
/** A lock was not to be had in time. */
export const LOCK_TIMEOUT = '55P03';
export const UNDEFINED_TABLE = '42P01';
export const UNDEFINED_COLUMN = '42703';
export const UNDEFINED_FUNCTION = '42883';

/** Whether PostgreSQL answered with this code. */
export const isState = (error: unknown, state: string): boolean =>
  (error as { code?: unknown } | null)?.code === state;

const NOT_NOW: ReadonlySet<unknown> = new Set(
  '25006 25P03 40001 40P01 53100 53200 53300 55P03 57014 57P01 57P02 57P03 58030'.split(' '),
);

/** The server answered, and cannot do it now: its disk is full, it is a standby, or stops, or somebody was in the way. */
export const isNotNow = (error: unknown): boolean =>
  NOT_NOW.has((error as { code?: unknown } | null)?.code);

/** Classes 22 and 23: the data is wrong, as opposed to a database that is down. */
export const isAboutData = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown } | null)?.code ?? ''));
