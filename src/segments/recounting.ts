import type { ReadContext } from '../context.ts';
import type { Clock } from '../db/clock.ts';
import { type Database, inWorkspace, sqlOver } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import type { Rules } from './rules.ts';
import { countNow } from './service.ts';
import { isTooHeavy } from './time-limit.ts';

interface Parts {
  readonly database: Pick<Database, 'app' | 'system'>;
  readonly clock: Clock;
}

interface Due {
  readonly organizationId: string;
  readonly id: string;
}

/**
 * Counts the segment whose count is oldest, if that is of about a day ago; lists show it, and estimates reckon with it. Any
 * number of processes may do so: whoever takes a segment first postpones its time. Rules that have become too expensive
 * keep their count.
 *
 * @returns whether there may be more
 */
export async function recountSegments({ database, clock }: Parts): Promise<boolean> {
  const due = await first<Due>(
    sqlOver(database.system),
    `select organization_id as "organizationId", id from segments
     where count_due_at <= now() order by count_due_at limit 1`,
    [],
    'segments-to-count',
  );
  if (!due) return false;
  const { organizationId, id } = due;
  const rules = await inWorkspace(database, organizationId, (sql) => take(sql, due));
  if (rules)
    await inWorkspace(database, organizationId, (sql) =>
      recount({ sql, organizationId, now: clock.now() }, id, rules),
    ).catch((error: unknown) => {
      if (!isTooHeavy(error)) throw error;
    });
  return true;
}

/** The next time is of no one moment, so that those of one release, or of a day without workers, spread within days. */
async function take(sql: Sql, { organizationId, id }: Due): Promise<Rules | null> {
  const taken = await first<{ rules: Rules }>(
    sql,
    `update segments set count_due_at = now() + interval '1 day' * (0.8 + 0.2 * random())
     where organization_id = $1 and id = $2 and count_due_at <= now() returning rules`,
    [organizationId, id],
  );
  return taken?.rules ?? null;
}

/** Rules that somebody changes meanwhile were counted by that. */
async function recount(
  ctx: Pick<ReadContext, 'sql' | 'organizationId' | 'now'>,
  id: string,
  rules: Rules,
): Promise<void> {
  const count = await countNow(ctx, rules);
  await ctx.sql.rows(
    `update segments set count = $3, counted_at = $4
     where organization_id = $1 and id = $2 and rules = $5::jsonb`,
    [ctx.organizationId, id, count, ctx.now, JSON.stringify(rules)],
  );
}
