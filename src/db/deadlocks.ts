import type { Context } from '../context.ts';
import { DEADLOCK, isState } from './sqlstates.ts';
import { transact } from './transact.ts';

const TRIES = 3;

/**
 * `transact` for a use case that changes everything belonging to a record, and so cannot take every lock in the order
 * that sending uses. If PostgreSQL ends it as a deadlock, it rolls back and starts again; the other transaction has
 * finished by then.
 */
export async function transactAgain<T>(
  ctx: Context,
  work: (tx: Context) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(ctx, work);
    } catch (error) {
      if (attempt === TRIES || !isState(error, DEADLOCK)) throw error;
    }
  }
}
