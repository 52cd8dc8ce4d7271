import type { Context, Late, News } from '../context.ts';
import { faultPoint } from '../fault-points.ts';
import type { LockSpace } from './advisory-locks.ts';
import { carryTrace, sqlOverEm } from './database.ts';
import { withSavepoints } from './sql.ts';
import { DEADLOCK, isState, LOCK_TIMEOUT } from './sqlstates.ts';

const TRIES = 3;
const LOCKED = [DEADLOCK, LOCK_TIMEOUT];

/**
 * Runs a use case in one transaction; inside another it is a savepoint. After the outermost one has committed, the
 * relays are woken if it left something for them; earlier they would find nothing.
 *
 * If PostgreSQL ends the outermost one as a deadlock, or because it limits its own wait, it rolls back and begins again; the
 * other transaction has finished by then, or goes on. So `work` may run several times: it does nothing that a rollback
 * does not undo.
 */
export async function transact<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  if (ctx.em.isInTransaction()) return inSavepoint(ctx, work);
  const { value, recorded } = await committed(ctx, work);
  faultPoint('after-commit');
  await Promise.all([...recorded].map((news) => ctx.wake(news)));
  return value;
}

interface Committed<T> {
  readonly value: T;
  readonly recorded: Context['recorded'];
}

async function committed<T>(
  ctx: Context,
  work: (tx: Context) => Promise<T>,
): Promise<Committed<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ctx.inTurn(() => attempted(ctx, work, attempt > 1));
    } catch (error) {
      if (attempt === TRIES || !LOCKED.some((state) => isState(error, state))) throw error;
    }
  }
}

/** @param clear what an attempt before it changed in memory is read again */
const attempted = <T>(
  ctx: Context,
  work: (tx: Context) => Promise<T>,
  clear: boolean,
): Promise<Committed<T>> =>
  ctx.em.transactional(
    async (em) => {
      const sql = withSavepoints(sqlOverEm(em));
      const own = { recorded: new Set<News>(), beforeCommit: [], locked: new Set<LockSpace>() };
      const tx = { ...ctx, em, sql, ...own };
      await carryTrace(sql);
      const value = await work(tx);
      await finish(tx);
      return { value, recorded: own.recorded };
    },
    { clear },
  );

async function inSavepoint<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  const outer = lateOf(ctx);
  const beforeCommit: Late[] = [];
  const result = await ctx.em.transactional((em) =>
    work({ ...ctx, em, sql: withSavepoints(sqlOverEm(em)), beforeCommit }),
  );
  // Not before: what `work` left to be flushed may still fail, and undo the savepoint.
  outer.push(...beforeCommit);
  return result;
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
export async function dryRun<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
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
