import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { requireOwner } from '../members/owners.ts';
import { selectDeal } from './queries.ts';
import { getDeal } from './reading.ts';
import type { DealPatch, DealView } from './schema.ts';

/**
 * Changes what the patch names; its stage is changed by `moveDeal`. Throws 404 for a deal that the member cannot see,
 * and 422 `unknown_member`.
 */
export const changeDeal = (ctx: Context, id: string, patch: DealPatch): Promise<DealView> =>
  transact(ctx, async (tx) => {
    const deal = await selectDeal(tx, id, true);
    if (!deal) throw notFound('deal');
    await requireOwner(tx, patch.owner_id ?? null);
    const { title, value_cents, currency, owner_id } = deal;
    const before = { title, value_cents, currency, owner_id };
    const changes = changesBetween(before, patch);
    if (changes.length === 0) return getDeal(tx, id);
    const after = { ...before, ...Object.fromEntries(changes.map(({ field, to }) => [field, to])) };
    await tx.sql.rows(
      `update deals set title = $3, value_cents = $4, currency = $5, owner_id = $6, updated_at = $7
       where organization_id = $1 and id = $2`,
      [
        tx.organizationId,
        id,
        after.title,
        after.value_cents,
        after.currency,
        after.owner_id,
        tx.now,
      ],
    );
    await audit(tx, {
      action: 'deal.updated',
      target: { type: 'deal', id, name: after.title },
      changes,
    });
    return getDeal(tx, id);
  });
