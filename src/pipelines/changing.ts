import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { requireOwner } from '../members/owners.ts';
import { CHANGED, recordHappenings } from '../outbox/happenings.ts';
import { lockDeal } from './checks.ts';
import { getDeal } from './reading.ts';
import type { DealPatch, DealView } from './schema.ts';

/**
 * Changes what the patch names; its stage is changed by `moveDeal`. Throws 404 for a deal that the member cannot see,
 * and 422 `unknown_member`.
 */
export const changeDeal = (ctx: Context, id: string, patch: DealPatch): Promise<DealView> =>
  transact(ctx, async (tx) => {
    const deal = await lockDeal(tx, id);
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

/**
 * Deletes a deal for good; the log keeps its history. Nothing else refers to it: what an automation or a webhook said
 * of it stays as it was said. Throws 404 for one that the member cannot see.
 */
export const deleteDeal = (ctx: Context, id: string): Promise<{ id: string; deleted: true }> =>
  transact(ctx, async (tx) => {
    const { title, contact_id: contactId } = await lockDeal(tx, id);
    await tx.sql.rows('delete from deals where organization_id = $1 and id = $2', [
      tx.organizationId,
      id,
    ]);
    await recordHappenings(tx, [{ type: CHANGED, contactId, ref: id }]);
    await audit(tx, { action: 'deal.deleted', target: { type: 'deal', id, name: title } });
    return { id, deleted: true };
  });
