import { audit } from '../../audit/service.ts';
import type { Context, InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { notFound, validation } from '../../errors.ts';
import { WhatsAppNumber } from '../../numbers/entities.ts';
import { countSoFar, lockToday } from './day-limits.ts';

const MOST = 1_000_000;

/**
 * Sets how many messages the number's campaigns may begin per day of the workspace; null for no limit. Those begun
 * earlier today count. A campaign that reaches it is paused, `daily_limit` (design decisions §6). Throws 422 `validation`.
 */
export const setDailyLimit = (ctx: Context, id: string, limit: number | null): Promise<void> =>
  transact(ctx, async (tx) => {
    if (limit !== null) requireInRange(limit);
    const number = await tx.em.findOne(WhatsAppNumber, { id });
    if (!number) throw notFound('number');
    const key = [tx.organizationId, id];
    const before = await dailyLimitOf(tx, id);
    await outdateBatches(tx, id);
    if (limit === null) {
      const text = 'delete from campaign_limits where organization_id = $1 and number_id = $2';
      await tx.sql.rows(text, key);
    } else {
      await tx.sql.rows(
        `insert into campaign_limits (organization_id, number_id, daily_limit) values ($1, $2, $3)
         on conflict (organization_id, number_id) do update set daily_limit = excluded.daily_limit`,
        [...key, limit],
      );
      if (before === null)
        await countSoFar(tx.sql, { organizationId: tx.organizationId, numberId: id }, tx.now);
    }
    await audit(tx, {
      action: 'number.updated',
      target: { type: 'number', id, name: number.name },
      changes: [{ field: 'daily_limit', from: before, to: limit }],
    });
  });

/** How many messages the number's campaigns may begin per day; null for no limit. */
export async function dailyLimitOf(
  { sql, organizationId }: InWorkspace,
  numberId: string,
): Promise<number | null> {
  const row = await first<{ daily_limit: number }>(
    sql,
    'select daily_limit from campaign_limits where organization_id = $1 and number_id = $2',
    [organizationId, numberId],
  );
  return row?.daily_limit ?? null;
}

/**
 * Waits for the claims that are under way on the number, whose messages are counted then. Later ones of a batch that
 * knows no limit, or another, find nobody, and the next batch reads this one. Campaigns that have not begun are outdated
 * as well: the first batch of one that begins meanwhile reads what held before.
 */
async function outdateBatches(
  { sql, organizationId, now }: Context,
  numberId: string,
): Promise<void> {
  await lockToday(sql, { organizationId, numberId }, now);
  await sql.rows(
    `with mine as (select id from campaigns
       where organization_id = $1 and number_id = $2 and finished_at is null order by id for update)
     update campaigns c set limits_revision = c.limits_revision + 1
     from mine where c.organization_id = $1 and c.id = mine.id`,
    [organizationId, numberId],
  );
}

function requireInRange(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return;
  const message = `A whole number from 1 to ${MOST}, or none.`;
  throw validation([{ path: 'daily_limit', rule: 'range', message }]);
}
