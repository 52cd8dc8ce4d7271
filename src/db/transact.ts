import type { Context } from '../context.ts';
import { faultPoint } from '../fault-points.ts';
import { carryTrace, sqlOverEm } from './database.ts';
import { withSavepoints } from './sql.ts';

/**
 * Runs a use case in one transaction; inside another it is a savepoint. After the outermost one has committed, the
 * relays are woken if it left something for them; earlier they would find nothing.
 */
export async function transact<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  const outermost = !ctx.em.isInTransaction();
  const recorded: Context['recorded'] = outermost ? new Set() : ctx.recorded;
  const run = (): Promise<T> =>
    ctx.em.transactional(async (em) => {
      const sql = withSavepoints(sqlOverEm(em));
      if (outermost) await carryTrace(sql);
      const value = await work({ ...ctx, em, sql, recorded });
      if (outermost) faultPoint('before-commit');
      return value;
    });
  const result = await (outermost ? ctx.inTurn(run) : run());
  if (outermost) faultPoint('after-commit');
  if (outermost) await Promise.all([...recorded].map((news) => ctx.wake(news)));
  return result;
}
