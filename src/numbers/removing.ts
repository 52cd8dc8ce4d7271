import { audit } from '../audit/service.ts';
import { automationsNaming } from '../automated/references.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { refuseUsed } from '../errors.ts';
import { segmentsNaming } from '../segments/naming.ts';
import { lockNumber } from './known.ts';

/** What would lose its number; who answers there, its limits and its templates go with it. */
const USED = `
  select (select count(*) from conversations where organization_id = $1 and number_id = $2) as conversations,
    (select count(*) from campaigns where organization_id = $1 and number_id = $2) as campaigns,
    (select count(*) from reminders where organization_id = $1 and number_id = $2) as reminders,
    (select count(*) from groups where organization_id = $1 and number_id = $2) as groups`;

/**
 * Removes a number that was added by mistake, connected or not. Throws 404, and 409 `in_use` for one that anything
 * refers to: what it sent and received stays under it.
 */
export const removeNumber = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const { name, phone } = await lockNumber(tx, id);
    const used = await first<Record<string, number>>(tx.sql, USED, [tx.organizationId, id]);
    const automations = await automationsNaming(tx, id);
    const segments = await segmentsNaming(tx, id);
    const usedBy = { ...used, automations, segments };
    refuseUsed(usedBy, 'The number is in use. Choose another one for what names it first.');
    const ids = [tx.organizationId, id];
    await tx.sql.rows('delete from numbers where organization_id = $1 and id = $2', ids);
    await audit(tx, {
      action: 'number.removed',
      target: { type: 'number', id, name },
      changes: [{ field: 'phone', from: phone ?? null, to: null }],
    });
  });
