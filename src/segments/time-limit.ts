import { first, type Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';

const LIMIT_MS = 5_000;
const QUERY_CANCELLED = '57014';

/**
 * Runs the statements of a segment's rules with a limit of 5 seconds each (design decisions §11), so that expensive
 * rules cannot occupy the database. Throws 422 `segment_too_heavy`; a transaction that it is part of can go on.
 */
export function withinTimeLimit<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const limited = (): Promise<T> => underLimit(sql, work);
  return sql.savepoint ? sql.savepoint(limited) : limited();
}

/** Whether that was refused, for those who go on without the answer. */
export const isTooHeavy = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'segment_too_heavy';

async function underLimit<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const setting = await first<{ before: string }>(
    sql,
    `select current_setting('statement_timeout') as before`,
  );
  await limit(sql, `${LIMIT_MS}`);
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== QUERY_CANCELLED) throw error;
    const message = `These rules take longer than ${LIMIT_MS / 1_000} seconds. Use fewer or simpler conditions.`;
    throw new AppError('segment_too_heavy', message, { limit_ms: LIMIT_MS }, { cause: error });
  } finally {
    // Fails after a failure in a savepoint, whose rollback restores the old value anyway.
    await limit(sql, setting?.before ?? '0').catch(() => {});
  }
}

const limit = (sql: Sql, value: string): Promise<unknown> =>
  sql.rows(`select set_config('statement_timeout', $1, false)`, [value]);
