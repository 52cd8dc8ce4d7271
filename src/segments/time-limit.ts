import type { Context } from '../context.ts';
import { first, type Sql } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../errors.ts';

const LIMIT_MS = 5_000;
const QUERY_CANCELLED = '57014';

/**
 * Runs the statements of a segment's rules with a limit of 5 seconds each (design decisions §11), so that expensive
 * rules cannot occupy the database. Throws 422 `segment_too_heavy`. Inside a transaction the caller must use a
 * savepoint.
 */
export async function withinTimeLimit<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
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
    // Fails in an aborted transaction, whose rollback restores the old value anyway.
    await limit(sql, setting?.before ?? '0').catch(() => {});
  }
}

/** The same inside a transaction: in a savepoint, so that the caller's transaction continues after a refusal. */
export const limited = <T>(tx: Context, work: (inner: Context) => Promise<T>): Promise<T> =>
  transact(tx, (inner) => withinTimeLimit(inner.sql, () => work(inner)));

const limit = (sql: Sql, value: string): Promise<unknown> =>
  sql.rows(`select set_config('statement_timeout', $1, false)`, [value]);
