import type { Context, Late } from '../context.ts';
import { faultPoint } from '../fault-points.ts';
import type { LockSpace } from './advisory-locks.ts';
import { carryTrace, sqlOverEm } from './database.ts';
import { withSavepoints } from './sql.ts';
import { DEADLOCK, isState, LOCK_TIMEOUT } from './sqlstates.ts';

/**
 * Runs a use case in one transaction; inside another it is a savepoint. After the outermost one has committed, the
 * relays are woken if it left something for them; earlier they would find nothing.
 */
export async function transact<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  const outer = ctx.em.isInTransaction() ? lateOf(ctx) : null;
  const outermost = outer === null;
  const recorded: Context['recorded'] = outermost ? new Set() : ctx.recorded;
  const locked = (outermost ? null : ctx.locked) ?? new Set<LockSpace>();
  const beforeCommit: Late[] = [];
  const run = (): Promise<T> =>
    ctx.em.transactional(async (em) => {
      const sql = withSavepoints(sqlOverEm(em));
      const tx = { ...ctx, em, sql, recorded, beforeCommit, locked };
      if (outermost) await carryTrace(sql);
      const value = await work(tx);
      if (outermost) await finish(tx);
      return value;
    });
  const result = await (outermost ? ctx.inTurn(run) : run());
  // Not before: what `work` left to be flushed may still fail, and undo the savepoint.
  outer?.push(...beforeCommit);
  if (outermost) faultPoint('after-commit');
  if (outermost) await Promise.all([...recorded].map((news) => ctx.wake(news)));
  return result;
}

const TRIES = 3;
const LOCKED = [DEADLOCK, LOCK_TIMEOUT];

/**
 * `transact` for a use case that changes everything belonging to a record, and so cannot take every lock in the order
 * that sending uses. If PostgreSQL ends it as a deadlock, or because it limits its own wait, it rolls back and starts
 * again; the other transaction has finished by then, or goes on.
 */
export async function transactAgain<T>(
  ctx: Context,
  work: (tx: Context) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(ctx, work);
    } catch (error) {
      if (attempt === TRIES || !LOCKED.some((state) => isState(error, state))) throw error;
    }
  }
}

/** Thrown to roll a transaction back; carries the result out of it. */
class RolledBack<T> extends Error {
  override readonly name = 'RolledBack';
  readonly result: T;

  constructor(result: T) {
    super('a rehearsal is always rolled back');
    this.result = result;
  }
}

/** `transact`, always rolled back: what the work would lead to, or why it is refused. */
export async function rehearse<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  try {
    // What was changed in memory is not undone with the rows, so nobody else may meet it.
    return await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
      throw new RolledBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw error;
  }
}

async function finish(tx: Context): Promise<void> {
  const late = lateOf(tx);
  if (late.length > 0) await tx.em.flush();
  for (const [write, all] of Map.groupBy(late, (each) => each.write)) await write(tx.sql, all);
  faultPoint('before-commit');
}

/** Where a savepoint leaves what is still to be written; without it that would be lost. */
function lateOf({ beforeCommit }: Context): Late[] {
  if (!beforeCommit) throw new Error('A transaction was begun other than by `transact`.');
  return beforeCommit;
}
