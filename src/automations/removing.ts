import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import { automationsNaming } from '../automated/references.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, refuseUsed } from '../errors.ts';

/**
 * Removes an automation that was never on, so that it has no versions and no runs. Throws 403, 404, 409 `invalid_state`, and
 * `in_use` while a form starts it or another automation names it.
 */
export const removeAutomation = (ctx: Context, id: string): Promise<void> => {
  requirePermission(ctx.actor, 'automations.activate');
  return transact(ctx, async (tx) => {
    const owned = [tx.organizationId, id] as const;
    // Nobody names it meanwhile in a form, or turns it on.
    const row = await first<{ name: string; status: string }>(
      tx.sql,
      'select name, status from automations where organization_id = $1 and id = $2 for update',
      owned,
    );
    if (!row) throw notFound('automation');
    if (row.status !== 'draft') throw invalidState(row.status, ['draft']);
    const naming = await first<{ forms: number }>(
      tx.sql,
      'select count(*) as forms from forms where organization_id = $1 and automation_id = $2',
      owned,
    );
    const usedBy = { forms: naming?.forms ?? 0, automations: await automationsNaming(tx, id) };
    refuseUsed(usedBy, 'A form or another automation names this automation. Change it first.');
    await tx.sql.rows('delete from automations where organization_id = $1 and id = $2', owned);
    const target = { type: 'automation', id, name: row.name };
    await audit(tx, { action: 'automation.removed', target });
  });
};
